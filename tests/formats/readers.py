"""What each format says, read back: independent of what wrote it.

Calls are tuples (start, duration, depth, name), in ns, of each thread id in the order of their entries;
the duration of a call that was open at the end is None where the format has no end of it.
"""
import collections
import gzip
import json
import re
import struct

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


class Damaged(Exception):
    pass


# ---- Protobuf ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def message(data):
    """Its fields by number, each a list of numbers or bytes, in order."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise Damaged('a field is cut off')
        else:
            raise Damaged(f'wire type {key & 7}')
        fields[key >> 3].append(value)
    return fields


def first(fields, number, default=0):
    return fields[number][0] if number in fields else default


# ---- Whatever tells entries and exits ----

class Walk:
    """Calls of one thread out of its entries and exits."""

    def __init__(self):
        self.calls = []
        self.open = []

    def enter(self, time, name):
        self.open.append(len(self.calls))
        self.calls.append((time, None, len(self.open) - 1, name))

    def leave(self, time):
        if not self.open:
            raise Damaged('an exit without entry')
        place = self.open.pop()
        start, _, depth, name = self.calls[place]
        if time < start:
            raise Damaged('an exit before its entry')
        self.calls[place] = (start, time - start, depth, name)


class Sequence:
    def __init__(self):
        self.time, self.names, self.track, self.is_incremental = 0, {}, None, False


def perfetto_event(sequence, packet, walks, extras):
    event = message(packet[11][0])
    time = first(packet, 8) + (sequence.time if sequence.is_incremental else 0)
    if 12 in packet:
        for row in message(packet[12][0])[2]:
            row = message(row)
            sequence.names[first(row, 1)] = first(row, 2).decode()
    sequence.time = time
    track = first(event, 11, sequence.track)
    walk = walks.get(track) or extras.setdefault(track, Walk())
    if first(event, 9) == BEGIN:
        own = first(event, 23, None)
        walk.enter(time, sequence.names[first(event, 10)] if own is None else own.decode())
    elif first(event, 9) == END:
        walk.leave(time)
    elif first(event, 9) == INSTANT:
        walk.calls.append((time, first(event, 23).decode(), notes_of(event), event[47]))
    elif first(event, 9) == COUNTER:
        walk.calls.append((time, struct.unpack('<d', event[44][0])[0]))
    else:
        raise Damaged('another type of event')


def notes_of(event):
    """What people see of it, and the stack, innermost first."""
    notes = {}
    for row in map(message, event[4]):
        notes[first(row, 10).decode()] = first(row, 3) if 3 in row else first(row, 6).decode()
    if 55 in event:
        frames = [first(message(row), 1).decode() for row in message(event[55][0])[1]]
        notes['stack'] = frames[::-1]
    return notes


def start_sequence(packet):
    sequence = Sequence()
    defaults = message(packet[59][0])
    sequence.track = first(message(defaults[11][0]), 11)
    clocks = {first(row, 1): row for row in map(message, message(packet[6][0])[1])}
    sequence.is_incremental = first(clocks[first(defaults, 58)], 3) == 1
    return sequence


def perfetto(data):
    """Calls by thread id, and those on other tracks by the track's name."""
    sequences, walks, extras, threads, names = {}, {}, {}, {}, {}
    for packet in message(data)[1]:
        packet = message(packet)
        number = first(packet, 10)
        if first(packet, 13) & 1:
            sequences[number] = start_sequence(packet)
        if 60 in packet:
            track = message(packet[60][0])
            uuid = first(track, 1)
            names[uuid] = first(track, 2, b'').decode()
            if 4 in track:
                threads[uuid] = first(message(track[4][0]), 2)
                walks[uuid] = Walk()
        if 11 in packet:
            perfetto_event(sequences[number], packet, walks, extras)
    calls = collections.defaultdict(list)
    for uuid, walk in walks.items():
        calls[threads[uuid]] += walk.calls
    return dict(calls), {names[uuid]: walk.calls for uuid, walk in extras.items()}


# ---- JSON ----

def exact_us(text):
    """Microseconds with three decimals as nanoseconds."""
    whole, _, rest = text.partition('.')
    return int(whole) * 1000 + int(rest.ljust(3, '0'))


def chrome(data):
    """Calls by thread id, without depths: (start, duration, name, is_open)."""
    threads = {}
    for event in json.loads(data, parse_float=exact_us)['traceEvents']:
        if event['ph'] == 'M' and event['name'] == 'thread_name':
            threads.setdefault(event['tid'], [])
        elif event['ph'] == 'X':
            threads[event['tid']].append((event['ts'], event['dur'], event['name'],
                                          event.get('args', {}).get('open', False)))
    return threads


# ---- Sums ----

def totals(calls):
    """[calls, total, own, times that went into own] by name, as tables have them: recursion is not
    counted twice."""
    rows, open_names, path = collections.defaultdict(lambda: [0, 0, 0, 0]), collections.Counter(), []
    for _, duration, depth, name in calls:
        for gone in path[depth:]:
            open_names[gone] -= 1
        del path[depth:]
        row = rows[name]
        row[0] += 1
        row[1] += 0 if open_names[name] else duration
        row[2] += duration
        row[3] += 1
        if path:
            rows[path[-1]][2] -= duration
            rows[path[-1]][3] += 1
        path.append(name)
        open_names[name] += 1
    return rows


def walk_of(events):
    """The calls of entries (time, name) and exits (time, None)."""
    walk = Walk()
    last = 0
    for time, name in events:
        if time < last:
            raise Damaged('time falls')
        last = time
        if name is None:
            walk.leave(time)
        else:
            walk.enter(time, name)
    if walk.open:
        raise Damaged('an entry without exit')
    return walk.calls


def unmarked(name):
    """The name without the marks behind it."""
    return re.sub(r'( ~)?( \^)?( \?\d+%)?$', '', name)


def speedscope(data):
    """Calls of each profile: pairs of its name and them, in order."""
    file = json.loads(data)
    names = [unmarked(frame['name']) for frame in file['shared']['frames']]
    found = []
    for profile in file['profiles']:
        open_frames, events = [], []
        for event in profile['events']:
            if event['type'] == 'O':
                open_frames.append(event['frame'])
            elif open_frames.pop() != event['frame']:
                raise Damaged('another frame is on top')
            events.append((event['at'], names[event['frame']] if event['type'] == 'O' else None))
        if events and events[-1][0] > profile['endValue']:
            raise Damaged('an event after the end')
        found.append((profile['name'], walk_of(events)))
    return found


def nanoscope(data):
    """Calls, from 0 on. As the viewer: digits up to ':', then up to LF; '+' means verbatim."""
    if data and not data.endswith(b'\n'):
        raise Damaged('the last line is torn')
    events = []
    for line in data.decode().split('\n')[:-1]:
        time, _, name = line.partition(':')
        if name != 'POP' and not name.startswith('+'):
            raise Damaged(line)
        events.append((int(time), None if name == 'POP' else name[1:]))
    return walk_of(events)


def art(data):
    """Calls by thread id, in us."""
    end = data.index(b'*end\n') + 5
    words = data[:end].decode().split('\n')
    threads = words[words.index('*threads') + 1:words.index('*methods')]
    ids = {int(row.split('\t')[0]): int(row.rsplit(' ', 1)[1]) for row in threads}
    names = {}
    for row in words[words.index('*methods') + 1:words.index('*end')]:
        number, of, method, signature, _ = row.split('\t')
        names[int(number, 16)] = '.'.join(filter(None, (of, method))) + (
            '' if signature == '()' else signature)
    magic, version, offset, _, size = struct.unpack_from('<4sHHQH', data, end)
    if (magic, version, size) != (b'SLOW', 2, 10):
        raise Damaged('the head of the records')
    events = {thread: [] for thread in ids}
    for thread, method, time in struct.iter_unpack('<HII', data[end + offset:]):
        events[thread].append((time, None if method & 3 else names[method & ~3]))
    return {ids[thread]: walk_of(rows) for thread, rows in events.items()}


# ---- Trees: sums by name ----

def folded(data):
    """Own time, or calls, by name of the innermost."""
    rows = collections.Counter()
    for line in data.decode().splitlines():
        stack, _, value = line.rpartition(' ')
        rows[stack.split(';')[-1]] += int(value)
    return rows


def pprof(data, label='thread'):
    """[calls, total, own] by the thread's name and the method's, of samples with the label."""
    profile = message(gzip.decompress(data))
    strings = [text.decode() for text in profile[6]]
    functions = {first(row, 1): strings[first(row, 2)] for row in map(message, profile[5])}
    places = {first(row, 1): functions[first(message(row[4][0]), 1)]
              for row in map(message, profile[4])}
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for sample in map(message, profile[2]):
        stack = [places[number] for number in packed(sample[1][0])]
        calls, own = packed(sample[2][0])
        if label not in [strings[first(message(row), 1)] for row in sample[3]]:
            continue
        thread = strings[first(message(sample[3][0]), 2)]
        rows[thread, stack[0]][0] += calls
        rows[thread, stack[0]][2] += own
        for name in set(stack):
            rows[thread, name][1] += own
    return rows


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def callgrind(data):
    """[calls, total of the callers' calls, own] by name."""
    names, rows, function, is_call = {}, collections.defaultdict(lambda: [0, 0, 0]), None, False
    for line in data.decode().split('\n'):
        key, _, value = line.partition('=')
        if key in ('fn', 'cfn'):
            number, _, name = value.partition(' ')
            names.setdefault(number, name)
            called = names[number]
            function = called if key == 'fn' else function
        elif key == 'calls':
            is_call = True
        elif line[:2] == '0 ':
            cost = [int(field) for field in line.split()[1:]]
            if is_call:
                rows[called][1] += cost[0]
            else:
                rows[function][0] += cost[1]
                rows[function][2] += cost[0]
            is_call = False
    return rows
