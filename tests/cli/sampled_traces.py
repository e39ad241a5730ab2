"""Sections of sampled stacks, as abi/sampling.h lays them out, behind a trace of traces.py. Times are ms."""
import struct

from profiles import BOUNDS, MAIN, NONE, READY, add_sections, sections_of, units
from traces import MS, enter, leave, trace

SAMPLING, SAMPLE_THREADS, STACKS, SAMPLES, BLOCKS, LOCKS = 16, 17, 18, 19, 20, 21
RUNNING, READY_STATE, NATIVE, MONITOR, WAITING, PARKED, SLEEPING = range(1, 8)
MONITOR_KIND, PARKED_KIND = 1, 2


def figures(main_us=5000, threads_us=5000, taken=100):
    return struct.pack('<8I19Q', 1, 256, main_us, threads_us, main_us, threads_us, main_us, threads_us, taken, 7, 0, 0,
                       3 * MS, 2 * MS, *(13 * [0]))


def thread_row(name, tid, first=0, last=4000, samples=100, ring=0, is_main=0, has_ended=0, profile_row=0):
    return struct.pack('<64sIIIIQQQQIIQ', name.encode(), tid, ring, is_main, has_ended, units(first), units(last), samples, 0, profile_row, 0, 0)


def node(parent, method, thread, running=0, waiting=0, cpu=None):
    return struct.pack('<IIIHHIIQQQQ', parent, method, thread, 0, 0, 0, 0, 10, units(running), units(waiting),
                       units(running if cpu is None else cpu))


def sample(time, until, place, state=RUNNING, interval_us=5000, cpu=0):
    return struct.pack('<QQQIIIHBB', units(time), units(until), cpu * MS, place, interval_us, 0, 0, state, 0)


def block(begin, end, thread, place, lock, owner=0, owner_place=NONE, kind=MONITOR_KIND):
    """lock and owner count from 1."""
    return struct.pack('<QQIIIIIHHQ', units(begin), units(end), thread, place, lock, owner, owner_place, kind, 1, units(begin + 10))


def lock(name):
    return struct.pack('<256s', name.encode())


def add_samples(data, profiled, mutes, sections):
    return add_sections(data, {**sections_of(profiled, mutes), **{kind: rows for kind, rows in sections.items() if rows}})


NODES = [node(NONE, 1, 0, 700), node(0, 2, 0, 1200), node(1, 5, 0, 800, cpu=780),
         node(NONE, 7, 1, 20), node(3, 6, 1, waiting=900), node(3, 5, 1, 100, cpu=60),
         node(NONE, 8, 2, 1000), node(NONE, 7, 3), node(7, 8, 3, waiting=500), node(NONE, 7, 4), node(9, 6, 4, waiting=700)]
THREAD_ROWS = [thread_row('main', 77, ring=1, is_main=1, profile_row=1), thread_row('jobs', 90), thread_row('holder', 91),
               thread_row('middle', 92), thread_row('outer', 93)]
LOCK_ROWS = [lock('app/First'), lock('app/Second'), lock('java/util/concurrent/locks/ReentrantLock$NonfairSync')]
BLOCK_ROWS = [block(1100, 1800, 4, 10, 2, 4, 8), block(1000, 1500, 3, 8, 1, 3, 6),
              block(2000, 2300, 1, 4, 3, 3, 6, PARKED_KIND)]
SAMPLE_ROWS = [sample(300, 1100, 2), sample(50, 900, 4, WAITING), sample(1000, 1900, 6), sample(1000, 1500, 8, MONITOR),
               sample(1100, 1800, 10, MONITOR)]


def sampled_trace(nodes=None, main_us=5000, mutes=(), samples=None, blocks=(), main=()):
    """Main is recorded and sampled, of whose TreeBuilder.startElement 800 ms were in util.Hash.of. jobs waits in Jobs.await
    for 900 of 1020 ms; outer waits for middle, which waits for holder."""
    words = [enter(1, 1), enter(2, 100), leave(2, 2100), leave(1, 3501)]
    row = {'name': 'main', 'flags': MAIN | BOUNDS | READY, 'id': 77, 'ring': 0, 'position': len(words), 'first': 1,
           'last': 4000, 'words': 4, 'cpu': 3400, 'tree': [
               {'id': 1, 'calls': 1, 'ms': 3500, 'inner': [{'id': 2, 'calls': 10, 'ms': 2000}]}], **dict(main)}
    return add_samples(trace([{'words': words}], now=4000 * MS), [row], mutes, {
        SAMPLING: [figures(main_us, main_us)], SAMPLE_THREADS: THREAD_ROWS, STACKS: nodes or NODES,
        SAMPLES: SAMPLE_ROWS if samples is None else samples, BLOCKS: [*BLOCK_ROWS, *blocks], LOCKS: LOCK_ROWS})
