"""The sampled stacks of a trace, read from its sections (src/abi/section.h, src/abi/sampling.h), and whether they are whole."""
import collections
import struct

NO_NODE, NAMES, SAMPLING, THREADS, STACKS, SAMPLES, BLOCKS, LOCKS = 0xFFFFFFFF, 1, 16, 17, 18, 19, 20, 21
STATES = ('', 'running', 'ready', 'native', 'monitor', 'waiting', 'parked', 'sleeping', 'suspended')
RINGS = SAMPLES, BLOCKS
FIGURES = ('engine depth main_us threads_us main_now_us threads_now_us widest_main_us widest_threads_us taken idle late own_probe '
           'target_ns own_ns').split()

Node = collections.namedtuple('Node', 'parent id thread bci flags line pad samples running waiting cpu_ns')
Sample = collections.namedtuple('Sample', 'time until cpu_ns node interval_us line bci state flags')
Block = collections.namedtuple('Block', 'begin end thread node lock owner owner_node kind was_asked asked')
Thread = collections.namedtuple('Thread', 'name tid ring is_main has_ended first last samples failed profile_row')


def text(raw):
    return raw.split(b'\0')[0].decode()


class Trace:
    """threads, nodes, samples, blocks and locks as lists; names by id; figures of the sampler."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = file.read()
        self.start_ns = struct.unpack_from('<q', self.data, 160)[0]
        offset, count, size = struct.unpack_from('<QII', self.data, 384)
        self.sections = {}
        for i in range(count):
            row = struct.unpack_from('<IIQQIIQQQQ', self.data, offset + i * size)
            self.sections[row[0]] = row
        self.names = self.read_names()
        self.threads = [Thread(text(row[0]), row[1], row[2], row[3], *row[4:10])
                        for row in self.rows(THREADS, '<64sIIIIQQQQIIQ')]
        self.nodes = [Node(*row) for row in self.rows(STACKS, '<IIIHHIIQQQQ')]
        self.samples = [Sample(*row) for row in self.rows(SAMPLES, '<QQQIIIHBB')]
        self.blocks = [Block(*row) for row in self.rows(BLOCKS, '<QQIIIIIHHQ')]
        self.locks = [text(row[0]) for row in self.rows(LOCKS, '<256s')]
        sampling = self.rows(SAMPLING, '<8I22Q')
        self.figures = dict(zip(FIGURES, sampling[0]), polled=sampling[0][26]) if sampling else {}
        self.failed = sampling[0][14:26] if sampling else ()

    def written(self, kind):
        return self.sections[kind][7] if kind in self.sections else 0

    def rows(self, kind, form):
        """Of a ring: the oldest first, without the one that may be half written."""
        if kind not in self.sections:
            return []
        _, size, offset, capacity, _, _, _, written, _, _ = self.sections[kind]
        assert struct.calcsize(form) == size, (kind, struct.calcsize(form), size)
        first = max(0, written - capacity + 1) if kind in RINGS and written > capacity else 0
        last = written if kind in RINGS else min(written, capacity)
        return [struct.unpack_from(form, self.data, offset + i % capacity * size) for i in range(first, last)]

    def read_names(self):
        if NAMES not in self.sections:
            return {}
        _, _, offset, _, _, _, _, written, _, _ = self.sections[NAMES]
        lines = self.data[offset:offset + 8 * written].decode().splitlines()
        parts = [line.split(',', 2) for line in lines if line]
        return {int(part[0]): '.'.join(part[2].split(' ')[:2]) for part in parts}

    def stack(self, node):
        """Names, outermost first."""
        names = []
        while node != NO_NODE:
            names.append(self.names[self.nodes[node].id])
            node = self.nodes[node].parent
        return names[::-1]

    def totals(self, field='running', thread=None):
        """Name of a method: time in stacks that have it, in ns."""
        totals = collections.Counter()
        for number, node in enumerate(self.nodes):
            if thread is None or self.threads[node.thread].name == thread:
                for name in set(self.stack(number)):
                    totals[name] += getattr(node, field)
        return totals

    def faults(self):
        """Whatever points to nothing."""
        for number, node in enumerate(self.nodes):
            if node.parent != NO_NODE and node.parent >= number:
                yield f'node {number}: parent {node.parent}'
            if node.thread >= len(self.threads) or node.id not in self.names:
                yield f'node {number}: {node}'
        for sample in self.samples:
            if sample.node >= len(self.nodes) or sample.until < sample.time or not 0 < sample.state < len(STATES):
                yield f'{sample}'
        for block in self.blocks:
            if (block.thread >= len(self.threads) or block.lock > len(self.locks) or block.owner > len(self.threads) or
                    any(node != NO_NODE and node >= len(self.nodes) for node in (block.node, block.owner_node))):
                yield f'{block}'
