"""Traces drawn by hand, as abi/tracefile.h lays them out.

A ring is a dict of what differs from a live main thread that holds `words`; a mark a tuple
(ring index, claim, position, name).
"""
import struct

VERSION, PAGE, MESSAGE, CATCH, MS = 3, 16384, 0xFFFFE, 0xFFFFF, 1000000
RING_SIZE, MARK_SIZE, WORD_SIZE = 256, 64, 8
LIVE, ENDED = 1, 2
OPEN, CLOSED = 1, 2
MAP = ('1,1,a.Main run ()V\n2,1,a.Slow load ()V\n3,1,b.Pool work (I)V\n'
       '4,257,b.Pool stop\n'
       '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n')


def word(enter, method, ms):
    return enter << 63 | method << 43 | int(ms * MS)


def enter(method, ms):
    return word(1, method, ms)


def leave(method, ms):
    return word(0, method, ms)


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def round_up(size):
    return (size + PAGE - 1) // PAGE * PAGE


def ring_entry(ring, offset):
    words = ring['words']
    capacity = ring.get('capacity', max(len(words) + 1, 64))
    written = ring.get('written', len(words))
    entry = struct.pack('<II64sQQQIIQ', ring.get('state', LIVE), ring.get('thread', 77),
                        as_bytes(ring.get('name', 'main')), offset, capacity, 0,
                        ring.get('main', 1), ring.get('claim', 1), ring.get('drained', 0))
    return entry.ljust(128, b'\0') + struct.pack('<Q', written).ljust(128, b'\0')


def trace(rings, marks=(), mapping_hash=0, state=CLOSED, coarse=False, now=0,
          ns_per_unit=1, process='sample', units=1, wall=0, monotonic=0):
    """The bytes of a trace; a number of units are ns_per_unit, and time 0 was at wall and monotonic."""
    marks_offset = PAGE + len(rings) * RING_SIZE
    header = struct.pack('<8sIIQIIQIIIIQ64sIIQQqqQQ', b'mbtrace\n', 0x01020304, VERSION, PAGE,
                         len(rings), RING_SIZE, marks_offset, len(marks), MARK_SIZE, state, 4711,
                         mapping_hash, as_bytes(process), 2 if coarse else 1, 0, 0,
                         5 * MS if coarse else 1, wall, monotonic, ns_per_unit << 32 | units, now)
    offset = round_up(marks_offset + len(marks) * MARK_SIZE)
    tables = words = b''
    for ring in rings:
        tables += ring_entry(ring, offset + len(words))
        content = struct.pack(f'<{len(ring["words"])}Q', *ring['words'])
        words += content.ljust(round_up(len(content)), b'\0') if ring is not rings[-1] else content
    for in_ring, claim, position, name in marks:
        tables += struct.pack('<IIQ48s', in_ring + 1, claim, position, as_bytes(name))
    return (header.ljust(PAGE, b'\0') + tables).ljust(offset, b'\0') + words


def fnv(data):
    """The hash by which a trace names its method map."""
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value
