"""The sections of a whole run's profile, as abi/profile.h lays them out, behind a trace of traces.py.

A thread is a dict of its row, times in ms, with `tree`: calls as dicts with their id, `calls`, `ms`
(total), `inner` (more such) and what else a node has: `until` is its caller's time as it was muted. A mute is (id, calls, total ms, ms).
"""
import struct

from traces import MS, OPEN, PAGE, as_bytes, enter, leave, round_up, trace

MAIN, VIRTUAL, ENDED, BOUNDS, READY = 1, 2, 4, 8, 16
NONE = (1 << 32) - 1
SECTIONS_AT = 384
THREADS, NODES, MUTES = 8, 9, 10
SIZES = {THREADS: 256, NODES: 104, MUTES: 32}
PROGRAM = ''.join(f'{line}\n' for line in [
    '1,1,org.example.cli.Main main ([Ljava.lang.String;)V',
    '2,1,org.example.fo.TreeBuilder startElement (I)V',
    '3,1,org.example.fo.properties.PropertyList get (I)V',
    '4,1,org.example.layout.BreakingAlgorithm findBreakingPoints (I)V',
    '5,1,org.example.util.Hash of (I)V', '6,1,org.example.jobs.Jobs await ()V',
    '7,1,org.example.jobs.Worker run ()V', '8,1,org.example.web.Server handle (I)V',
    '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V'])

SERVER = ''.join(f'{line}\n' for line in [
    '1,1,org.example.web.Acceptor run ()V', '2,1,org.example.web.Poller run ()V',
    '3,1,org.example.web.Poller poll ()V', '4,1,org.example.web.Worker run ()V',
    '5,1,org.example.web.Worker getTask ()V', '6,1,org.example.web.Orders handle ()V',
    '7,1,org.example.web.Orders load ()V', '8,1,org.example.db.Store query ()V',
    '9,1,org.example.web.Main main ()V'])


def units(ms):
    return int(ms * MS)


def thread_row(thread):
    times = [units(thread.get(name, 0)) for name in ('first', 'last')]
    counts = [thread.get(name, 0) for name in ('words', 'lost', 'lost_entries', 'lost_exits',
                                               'inferred')]
    cpu = thread.get('cpu')
    return struct.pack(
        '<64sIIII3Q5Q4Q3Q56x', as_bytes(thread['name']), thread.get('id', 70),
        thread.get('flags', 0), thread.get('ring', -1) + 1, thread.get('claim', 1),
        thread.get('position', 0), *times, *counts, thread.get('count', 1),
        units(cpu) if cpu is not None else 0,
        units(thread.get('cpu_time', thread.get('last', 0))) if cpu is not None else 0,
        sum(units(call.get('ms', 0)) for call in thread.get('tree', ())),
        *[units(thread.get(part, 0)) for part in ('worked', 'ready', 'waited')])


def add_nodes(rows, calls, parent, thread):
    """Append the nodes of the calls, each before those inside it."""
    for call in calls:
        index = len(rows)
        inner = call.get('inner', ())
        since = call.get('since')
        rows.append(struct.pack(
            '<IIII11Q', parent, call['id'], thread, call.get('flags', 0), call.get('calls', 1),
            units(call.get('ms', 0)), sum(units(each.get('ms', 0)) for each in inner),
            units(call.get('longest', call.get('ms', 0) / max(call.get('calls', 1), 1))),
            units(since) + 1 if since is not None else 0,
            units(call.get('cpu', 0)), call.get('inferred_calls', 0),
            units(call.get('inferred', 0)), units(call.get('until', 0)),
            units(call.get('ready', 0)), units(call.get('waited', 0))))
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
        size = changes.get('record_size', len(records[0]) if records else SIZES[kind])
        written = changes.get('written', len(records))
        table += struct.pack('<IIQQIIQQQQ', kind, size, changes.get('offset', offset + len(content)),
                             changes.get('capacity', max(written, 16)), 0, 0, 0, written,
                             (lost or {}).get(kind, 0), 0)
        body = b''.join(records)
        content += body.ljust(round_up(len(body)), b'\0')
    header = bytearray(data[:512])
    struct.pack_into('<QIIq', header, SECTIONS_AT, table_offset, len(sections), 64, 0)
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


def length_word(method, ms, calls):
    """Requests of about that length."""
    ns, shift = units(ms), 0
    while ns >> shift >= 64:
        shift += 1
    return struct.pack('<Q', method << 44 | 1 << 43 | (shift * 32 + (ns >> shift)) << 32 | calls)


def requests_trace(count, every_ms=10):
    """Every other request of Server.handle is slow: it waits for a store; and collections. The last one is in the ring."""
    end = (count + 1) * every_ms
    usual, slow = every_ms / 10, every_ms / 2
    tree = [{'id': 1, 'calls': 0, 'ms': 0, 'since': 1, 'flags': 4, 'inner': [
        {'id': 6, 'calls': 2 * count, 'ms': count * (usual + slow), 'longest': slow, 'flags': 2, 'inner': [
            {'id': 8, 'calls': 2 * count, 'ms': count * slow, 'waited': count * slow}]}]}]
    slow_tree = []
    add_nodes(slow_tree, [{'id': 6, 'calls': count, 'ms': count * slow, 'inner': [
        {'id': 8, 'calls': count, 'ms': count * (slow - usual)}]}], NONE, 0)
    rows = [struct.pack('<QQII6I6QQQQ', units(slow), units((i + 1) * every_ms), 6, 90, 8, 6, 0, 0, 0, 0,
                        units(slow - usual), units(usual), 0, 0, 0, 0, units(usual), 0, 3) for i in range(count)]
    sections = sections_of([{'name': 'http-1', 'id': 90, 'ring': 1, 'position': 4, 'first': 1, 'last': end, 'words': 99, 'tree': tree}], ())
    sections.update({11: [length_word(6, usual, count), length_word(6, slow, count)], 12: slow_tree, 13: rows,
                     14: [struct.pack('<QQQ', units(at * every_ms), units(every_ms), 1) for at in range(0, count, 1000)]})
    start = count * every_ms
    words = [enter(6, start), enter(8, start + usual / 2), leave(8, start + slow - usual / 2), leave(6, start + slow)]
    return add_sections(trace([{'words': [enter(9, 1)]}, {'words': words, 'name': 'http-1', 'thread': 90, 'main': 0}], now=units(end)), sections)


def loop(method, waited, inner=()):
    """A call that its thread has been in since it began."""
    return {'id': method, 'calls': 0, 'since': 3, 'waited': waited, 'inner': inner}


def idle_trace(flags=BOUNDS | READY):
    """12 s of a server that nobody asks for more than one request of 800 ms and one of 150 ms. A pool
    of two waits for its database all the time: that is no idle loop."""
    def row(name, waited, *tree, **more):
        return {'name': name, 'first': 3, 'last': 11990, 'cpu': 100, 'cpu_time': 12000, 'flags': flags,
                'waited': waited, 'worked': 20, 'words': 10, 'tree': tree, **more}
    request = [{'id': 6, 'calls': 2, 'ms': 950, 'longest': 800, 'waited': 100, 'inner': [
        {'id': 7, 'calls': 2, 'ms': 840, 'longest': 700, 'waited': 830}]}]
    took = {**loop(5, 10900), 'calls': 2, 'ms': 5000, 'longest': 4500, 'since': 6000}
    busy = [enter(4, 3), enter(5, 4), leave(5, 5000), enter(6, 5000), enter(7, 5050), leave(7, 5750),
            leave(6, 5800), enter(5, 5800), leave(5, 5850), enter(6, 5850), leave(6, 6000),
            enter(5, 6000)]
    rings = [{'words': busy, 'name': 'worker-2', 'thread': 82, 'main': 0},
             {'words': [enter(1, 3)], 'name': 'acceptor', 'thread': 80, 'main': 0}]
    stores = [row(f'store-{n}', 11800, {'id': 8, 'calls': 15, 'ms': 11900, 'longest': 800, 'waited': 11800},
                  id=90 + n) for n in range(2)]
    data = trace(rings, now=12000 * MS, state=OPEN)
    return add_profile(data, [
        row('main', 11990, loop(9, 11990), flags=flags | MAIN, id=77),
        row('acceptor', 11990, loop(1, 11990), id=80, ring=1, position=1),
        row('poller', 11900, loop(2, 50, [{'id': 3, 'calls': 12, 'ms': 11900, 'longest': 1000,
                                           'waited': 11850}]), id=81),
        row('worker-1', 11990, loop(4, 0, [loop(5, 11990)]), id=83),
        row('worker-2', 11900, loop(4, 0, [took, *request]), id=82, ring=0, position=len(busy)),
        row('worker-3', 11990, loop(4, 0, [loop(5, 11990)]), id=84), *stores])


def marked_trace():
    """TreeBuilder.startElement holds calls of PropertyList.get, of whose time before a half is inferred;
    so are 61 % of BreakingAlgorithm's."""
    words = [enter(1, 1), enter(2, 2), enter(3, 3), leave(3, 4), leave(2, 5), enter(4, 6), leave(4, 9),
             leave(1, 10)]
    main = {'name': 'main', 'flags': MAIN | BOUNDS | READY, 'id': 77, 'ring': 0, 'position': len(words), 'first': 1,
            'last': 4000, 'words': 8, 'cpu': 3000, 'tree': [
                {'id': 1, 'calls': 1, 'ms': 3500, 'inner': [
                    {'id': 2, 'calls': 10, 'ms': 2000, 'inner': [
                        {'id': 3, 'calls': 1000, 'ms': 100, 'until': 500, 'inferred_calls': 5, 'inferred': 50}]},
                    {'id': 4, 'calls': 1, 'ms': 1000, 'inferred_calls': 1, 'inferred': 610}]}]}
    return add_profile(trace([{'words': words}], now=4000 * MS), [main], [(3, 1000, 100, 500)])
