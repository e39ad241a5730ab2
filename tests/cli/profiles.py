"""The sections of a whole run's profile, as abi/profile.h lays them out, behind a trace of traces.py.

A thread is a dict of its row, times in ms, with `tree`: calls as dicts with their id, `calls`, `ms`
(total), `inner` (more such) and what else a node has. A mute is (id, calls, total ms, ms).
"""
import struct

from traces import MS, PAGE, as_bytes, enter, leave, round_up

MAIN, VIRTUAL, ENDED = 1, 2, 4
NONE = (1 << 32) - 1
HEADER_1_SIZE = 384
THREADS, NODES, MUTES = 8, 9, 10
SIZES = {THREADS: 192, NODES: 72, MUTES: 32}
PROGRAM = ''.join(f'{line}\n' for line in [
    '1,1,org.example.cli.Main main ([Ljava.lang.String;)V',
    '2,1,org.example.fo.TreeBuilder startElement (I)V',
    '3,1,org.example.fo.properties.PropertyList get (I)V',
    '4,1,org.example.layout.BreakingAlgorithm findBreakingPoints (I)V',
    '5,1,org.example.util.Hash of (I)V', '6,1,org.example.jobs.Jobs await ()V',
    '7,1,org.example.jobs.Worker run ()V', '8,1,org.example.web.Server handle (I)V',
    '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V'])


def units(ms):
    return int(ms * MS)


def thread_row(thread):
    times = [units(thread.get(name, 0)) for name in ('first', 'last')]
    counts = [thread.get(name, 0) for name in ('words', 'lost', 'lost_entries', 'lost_exits',
                                               'inferred')]
    cpu = thread.get('cpu')
    return struct.pack(
        '<64sIIII3Q5Q4Q16x', as_bytes(thread['name']), thread.get('id', 70),
        thread.get('flags', 0), thread.get('ring', -1) + 1, thread.get('claim', 1),
        thread.get('position', 0), *times, *counts, thread.get('count', 1),
        units(cpu) if cpu is not None else 0,
        units(thread.get('cpu_time', thread.get('last', 0))) if cpu is not None else 0,
        sum(units(call.get('ms', 0)) for call in thread.get('tree', ())))


def add_nodes(rows, calls, parent, thread):
    """Append the nodes of the calls, each before those inside it."""
    for call in calls:
        index = len(rows)
        inner = call.get('inner', ())
        since = call.get('since')
        rows.append(struct.pack(
            '<IIII7Q', parent, call['id'], thread, call.get('flags', 0), call.get('calls', 1),
            units(call.get('ms', 0)), sum(units(each.get('ms', 0)) for each in inner),
            units(call.get('longest', call.get('ms', 0) / max(call.get('calls', 1), 1))),
            units(since) + 1 if since is not None else 0, units(call.get('below', 0)),
            units(call.get('cpu', 0))))
        add_nodes(rows, inner, index, thread)


def sections_of(threads, mutes):
    nodes = []
    for index, thread in enumerate(threads):
        add_nodes(nodes, thread.get('tree', ()), NONE, index)
    return {THREADS: [thread_row(thread) for thread in threads], NODES: nodes,
            MUTES: [struct.pack('<IIQQQ', method, 1, units(at), calls, units(total))
                    for method, calls, total, at in mutes]}


def add_sections(data, sections, lost=None, **changes):
    """The trace with these sections: lists of records by kind; changes as in the table's entry."""
    table_offset = round_up(len(data))
    offset = table_offset + PAGE
    table, content = b'', b''
    for kind, records in sections.items():
        size = changes.get('record_size', SIZES[kind])
        written = changes.get('written', len(records))
        table += struct.pack('<IIQQIIQQQQ', kind, size, changes.get('offset', offset + len(content)),
                             changes.get('capacity', max(written, 16)), 0, 0, 0, written,
                             (lost or {}).get(kind, 0), 0)
        body = b''.join(records)
        content += body.ljust(round_up(len(body)), b'\0')
    header = bytearray(data[:512])
    struct.pack_into('<I', header, 12, 2)
    struct.pack_into('<QIIq', header, HEADER_1_SIZE, table_offset, len(sections), 64, 0)
    whole = bytes(header) + data[512:]
    return whole.ljust(table_offset, b'\0') + table.ljust(PAGE, b'\0') + content


def add_profile(data, threads, mutes=(), lost=None):
    return add_sections(data, sections_of(threads, mutes), lost)


def lapped_main(**changes):
    """The last 10 ms of 17.7 s, of which a profile has all; two methods were muted."""
    tail = [word for i in range(20) for word in (enter(3, 17690 + i / 2), leave(3, 17690.3 + i / 2))]
    ring = {'words': tail, 'written': 1570000000, 'capacity': 40}
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'ring': 0, 'position': 1570000000, 'first': 3,
            'last': 17700, 'words': 1570000000, 'cpu': 17600, **changes, 'tree': [
                {'id': 1, 'calls': 0, 'ms': 0, 'since': 3, 'inner': [
                    {'id': 2, 'calls': 60000, 'ms': 11000, 'inner': [
                        {'id': 3, 'calls': 7850000, 'ms': 4000}]},
                    {'id': 4, 'calls': 300, 'ms': 4000, 'inner': [
                        {'id': 3, 'calls': 1000, 'ms': 100}]}]}]}
    return ring, main
