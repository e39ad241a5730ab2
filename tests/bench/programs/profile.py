"""Reads the profile of a trace file as abi/profile.h draws it, and nothing else: what the table says
does not lean on the reader that it judges."""
import collections
import mmap
import struct

THREADS, NODES, MUTES = 8, 9, 10
NO_NODE = 0xFFFFFFFF
MESSAGE_ID = 0xFFFFE

_SECTION = struct.Struct('<IIQQIIQQQQ')
_THREAD = struct.Struct('<64sIIII12Q16x')
_NODE = struct.Struct('<IIIIQQqQQQ')
_MUTE = struct.Struct('<IIQQQ')

Thread = collections.namedtuple('Thread', 'name tid flags ring claim position first last words lost_words '
                                'lost_entries lost_exits inferred count cpu_ns cpu_time outer')


class Node:
    """total includes the call that runs at the end; times in nanoseconds."""
    __slots__ = ('parent', 'id', 'thread', 'flags', 'calls', 'total', 'own', 'cpu_ns')


class Profile:
    """threads; nodes (parents before children); mutes: id -> time; lost: records of sections."""

    def __init__(self, path):
        with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            self._read(data)

    def _read(self, data):
        if data[:8] != b'mbtrace\n' or struct.unpack_from('<I', data, 12)[0] != 3:
            raise ValueError('no trace of version 3')
        numerator = struct.unpack_from('<Q', data, self._fraction_at())[0]
        self.ns = (numerator >> 32) / (numerator & 0xFFFFFFFF)
        self.lost, self.threads, self.nodes, self.mutes = {}, [], [], {}
        offset, count, size = struct.unpack_from('<QII', data, self._table_at())
        for index in range(count):
            (kind, record, start, capacity, _, _, _, written, lost, _) = \
                _SECTION.unpack_from(data, offset + index * size)
            rows = range(start, start + min(written, capacity) * record, record)
            self.lost[kind] = self.lost.get(kind, 0) + lost
            if kind == THREADS:
                self.threads = [self._thread(data, at) for at in rows]
            elif kind == NODES:
                self._read_nodes([_NODE.unpack_from(data, at) for at in rows])
            elif kind == MUTES:
                self.mutes = {id_: when for id_, _, when, _, _ in (_MUTE.unpack_from(data, at) for at in rows)}

    @staticmethod
    def _fraction_at():
        return 48 + 8 + 8 + 64 + 8 + 8 + 8 + 8 + 8

    @staticmethod
    def _table_at():
        return 384

    @staticmethod
    def _thread(data, at):
        row = list(_THREAD.unpack_from(data, at))
        row[0] = row[0].split(b'\0')[0].decode('utf-8', 'replace')
        return Thread(*row)

    def _read_nodes(self, rows):
        for parent, id_, thread, flags, calls, total, child_total, _, open_since, cpu in rows:
            node = Node()
            node.parent, node.id, node.thread, node.flags = parent, id_, thread, flags
            running = max(self.threads[thread].last - (open_since - 1), 0) if open_since else 0
            node.calls, node.cpu_ns = calls + (open_since != 0), cpu
            node.total, node.own = total + running, total + running - child_total
            if running and parent != NO_NODE:
                self.nodes[parent].own -= running
            self.nodes.append(node)
        for node in self.nodes:
            node.total *= self.ns
            node.own *= self.ns

    # ---- Questions ----

    def calls(self):
        """id -> calls, over all threads."""
        found = collections.Counter()
        for node in self.nodes:
            if node.id != MESSAGE_ID and node.calls:
                found[node.id] += node.calls
        return found

    def mute_parts(self):
        """id -> from which part of the run on it is muted, 0 to 1."""
        first = min(thread.first for thread in self.threads)
        span = max(max(thread.last for thread in self.threads) - first, 1)
        return {id_: (when - first) / span for id_, when in self.mutes.items()}

    def covered(self):
        """For each thread: (name, seconds of its span, part of it that outermost calls cover, words lost)."""
        outer = collections.Counter()
        for node in self.nodes:
            if node.parent == NO_NODE:
                outer[node.thread] += node.total
        for index, thread in enumerate(self.threads):
            span = (thread.last - thread.first) * self.ns
            if thread.words:
                yield (thread.name, span / 1e9, outer[index] / span if span > 0 else 1.0, thread.lost_words)

    def shares(self, running=True, outermost=None):
        """id -> (total, own) as parts of the time inside outermost calls, or inside those of some methods. With running,
        an outermost call weighs what the CPU worked for it."""
        weights = []
        total, own = collections.Counter(), collections.Counter()
        whole = 0
        for node in self.nodes:
            if node.parent != NO_NODE:
                weight = weights[node.parent]
            else:
                weight = min(node.cpu_ns / node.total, 1) if running and node.cpu_ns and node.total else 1
                weight *= outermost is None or node.id in outermost
                whole += node.total * weight
            weights.append(weight)
            own[node.id] += node.own * weight
            total[node.id] += node.total * weight
        return {id_: (total[id_] / (whole or 1), own[id_] / (whole or 1)) for id_ in own}


def add_shares(profiles, running=True):
    """The shares of several runs of a program, added up."""
    found = collections.defaultdict(lambda: [0, 0])
    for shares in (profile.shares(running) for profile in profiles):
        for id_, pair in shares.items():
            for i in range(2):
                found[id_][i] += pair[i] / len(profiles)
    return dict(found)


def add_mute_parts(profiles):
    """Of several runs, the mean: a method that was not muted in one was heard to its end."""
    parts = [profile.mute_parts() for profile in profiles]
    return {id_: sum(part.get(id_, 1) for part in parts) / len(parts) for id_ in set().union(*parts)}
