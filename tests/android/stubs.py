"""What the glue uses of Android is there, at each level it is used at, as our stubs of it say.

usage: stubs.py METHODBEAT ANDROID_JAR LEVEL...

A class of the glue may use what came with the level that its name, or its outer class's, ends in, and what was
there at the first we support; stubs/levels.txt says what came later than that.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402

ANDROID = os.path.abspath(sys.argv[2])
STUBS = os.path.join(judge.ROOT, 'src', 'jni', 'stubs')
FIRST = 23
KINDS = {'public', 'protected', 'static'}  # what a caller was compiled for


class Class:
    """What `dump` says of one."""

    def __init__(self, text):
        lines = text.splitlines()
        self.name = lines[0].split()[-1]
        self.parents = [word.rstrip(',') for line in lines
                        if re.match(r'  (extends|implements) ', line) for word in line.split()[1:]]
        self.is_interface = any(re.match(r'  flags .*\binterface\b', line) for line in lines)
        self.members = {}  # (name, descriptor): flags
        self.constants = {}  # name: its value as text
        for line in lines:
            found = re.match(r'(field|method) (.*?)([\w$<>]+) (\S+)$', line)
            if found:
                member = found[3], found[4]
                self.members[member] = set(found[2].split())
            elif line.startswith('  ConstantValue '):
                self.constants[member[0]] = line.split(maxsplit=1)[1]

    def abstract_methods(self):
        return {member for member, flags in self.members.items() if 'abstract' in flags}


def dump(*arguments):
    """The classes in what `dump` prints, with their code."""
    done = judge.must((judge.DUMP, *arguments))
    return [part for part in re.split(r'^(?=class |interface |enum )', done.stdout, flags=re.M) if part]


def levels():
    """A class or CLASS.MEMBER to the level that it came with."""
    rows = {}
    for line in judge.read(os.path.join(STUBS, 'levels.txt')).splitlines():
        if line and not line.startswith('#'):
            level, name = line.split()
            rows[name] = int(level)
    return rows


class Framework:
    """The classes of a level, read when asked for."""

    def __init__(self, level):
        self.jar = judge.corpus(f'android-{level}')
        self.classes = {}

    def find(self, name):
        if name not in self.classes:
            done = judge.run((judge.DUMP, '--brief', f'{self.jar}!{name}.class'))
            self.classes[name] = Class(done.stdout) if done.returncode == 0 else None
        return self.classes[name]

    def flags_of(self, name, member):
        """Of a member that a class has or inherits; None."""
        found = self.find(name)
        if found is None:
            return None
        if member in found.members:
            return found.members[member]
        inherited = (self.flags_of(parent, member) for parent in found.parents)
        return next((flags for flags in inherited if flags is not None), None)


def uses():
    """(class of the glue, class of Android, member) for each instruction that names one, also as one that a
    class of the glue inherits."""
    pattern = re.compile(r'(?:invoke\w+|[gp]et(?:field|static)) ((?:android|methodbeat)/[\w/$]+)\.([\w$<>]+) ?(\S+)$')
    for text in dump(ANDROID):
        own = Class(text)
        for line in text.splitlines():
            found = pattern.search(line)
            if found:
                name, member = found[1], (found[2], found[3])
                if name == own.name and member not in own.members:
                    name = next(iter(own.parents), name)
                if name.startswith('android/'):
                    yield own.name, name, member
        for parent in own.parents:
            if parent.startswith('android/'):
                yield own.name, parent, None


def level_of(own):
    return max([FIRST, *(int(digits) for digits in re.findall(r'[A-Za-z](\d\d)(?=\$|$)', own))])


def came_with(table, name, member):
    key = f'{name}.{member[0]}' if member else name
    return max(table.get(name, FIRST), table.get(key, FIRST))


def main():
    table = levels()
    stubs = {}
    folder = judge.compile_java(judge.scratch('stubs'), (STUBS,), '--release', '8', '-Xlint:-options')
    for text in dump('--brief', folder):
        stub = Class(text)
        stubs[stub.name] = stub
    used = sorted(set(uses()), key=str)
    for own, name, member in used:
        judge.check(came_with(table, name, member) <= level_of(own),
                    f'{own} uses {name} {member}, which came later')
    for level in map(int, sys.argv[3:]):
        framework = Framework(level)
        checks = 0
        for _, name, member in used:
            if came_with(table, name, member) > level or name not in stubs:
                judge.check(name in stubs, f'there is no stub of {name}')
                continue
            real = framework.find(name)
            if not judge.check(real is not None, f'level {level} has no {name}'):
                continue
            judge.check(real.is_interface == stubs[name].is_interface, f'level {level}: kind of {name}')
            if member is None:
                judge.check(not real.is_interface or
                            real.abstract_methods() <= set(stubs[name].members),
                            f'level {level}: {name} wants more of us')
            elif member in stubs[name].members: # else it is inherited from Java
                flags = framework.flags_of(name, member)
                judge.check(flags is not None and flags & KINDS == stubs[name].members[member] & KINDS,
                            f'level {level}: {name} {member} is {flags}')
            checks += 1
        for stub in stubs.values():
            for field, value in stub.constants.items():
                if came_with(table, stub.name, (field, '')) <= level:
                    real = framework.find(stub.name)
                    judge.check(real is not None and real.constants.get(field) == value,
                                f'level {level}: {stub.name}.{field} is not {value}')
                    checks += 1
        judge.check(checks > 15, f'level {level}: {checks} checks are too few')
        print(f'level {level}: {checks} members as used')
    judge.finish()


main()
