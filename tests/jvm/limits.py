"""Classes at the limits of the format: probed, widened or skipped with a reason; all still run."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

HIGH = 600000  # ids above it need a constant of the pool


def run_all(folder, names):
    """What each class prints, for as many as run."""
    return {name: judge.java('-cp', folder, name).stdout for name in names}


def rules_of(path):
    """Class and method to the rule that --explain names."""
    rows = (json.loads(line) for line in judge.read(path).splitlines())
    return {(row['class'], row['method']): row['rule'] for row in rows}


def compiled(folder):
    """The size of each method run9999 that HotSpot compiles when it should compile all at their first call."""
    done = judge.java('-XX:+PrintCompilation', '-Xcomp', '-XX:CompileCommand=quiet',
                      '-XX:CompileCommand=compileonly,Huge::*', '-cp', folder, 'Huge')
    judge.check(done.returncode == 0, f'Huge runs: {done.stderr}')
    found = re.findall(r'Huge::(run\d+) \((\d+) bytes\)', done.stdout)
    return {name: int(size) for name, size in found}


def judge_huge():
    """What HotSpot compiles without probes, it compiles with them; what it never did gets them."""
    plain = judge.scratch('huge')
    names = {f'run{size}' for size in range(7960, 8011)}
    small = {name for name in names if int(name[3:]) <= 8000}
    judge.check(compiled(plain).keys() == small, f'HotSpot compiles up to 8000 bytes: {compiled(plain)}')
    for mode in judge.MODES:
        output = judge.scratch('huge-' + mode)
        counts = os.path.join(output, 'counts.json')
        explain = os.path.join(output, 'explain.json')
        judge.instrument('-o', output, f'--exceptions={mode}', '--json', counts, '--explain', explain, plain)
        sizes = compiled(os.path.join(output, 'huge'))
        traced = {name.split()[1] for _, name in judge.traced(os.path.join(output, 'methodMapping.txt'))} & names
        judge.check(sizes.keys() == small, f'{mode}: not compiled: {small ^ sizes.keys()}')
        judge.check(names - small <= traced, f'{mode}: no probes: {names - small - traced}')
        judge.check(max(sizes[name] for name in small & traced) == 8000, f'{mode}: probes fill 8000 bytes')
        left = {method for (_, method), rule in rules_of(explain).items() if rule == 'code over 8000 bytes'}
        ignored = judge.read(os.path.join(output, 'ignoreMethodMapping.txt'))
        judge.check(left == names - traced and all(f'Huge {name} (I)I' in ignored for name in left), f'{mode}: {left}')
        judge.check(json.loads(judge.read(counts))['huge_methods'] == len(left) > 0, f'{mode}: {len(left)}')
        results = judge.link(os.path.join(output, 'huge'))
        judge.check(set(results.values()) == {'ok'}, f'{mode}: {results}')
        for option in '--trace-huge', '--rules=matrix':
            judge.instrument('-o', output, f'--exceptions={mode}', option, '--json', counts, plain)
            sizes = compiled(os.path.join(output, 'huge'))
            judge.check(small - sizes.keys() == left and json.loads(judge.read(counts))['huge_methods'] == 0,
                        f'{mode} {option}: {small - sizes.keys()}, not {left}')


def main():
    plain = judge.scratch('limits')
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('asm'),
                os.path.join(judge.TESTS, 'jvm', 'MakeLimits.java'), plain))
    done = judge.instrument('-o', judge.scratch('activity'), judge.scratch('android'))
    judge.check('Full.class: onWindowFocusChanged is not reported: constant pool' in done.stderr,
                f'an Activity whose pool is full is reported: {done.stderr}')
    names = [name[:-6] for name in judge.class_names(plain)]
    expected = run_all(plain, names)
    judge.check(all(text.strip() for text in expected.values()), f'they run: {expected}')
    base = judge.scratch('base.txt')
    with open(base, 'w', encoding='utf-8') as file:
        file.write(f'{HIGH},1,gone.Class method ()V\n')
    skips = 0
    for mode in judge.MODES:
        for ids in ((), ('--base-method-map', base)):
            output = judge.scratch(f'{mode}{len(ids)}')
            explain = os.path.join(output, 'explain.json')
            judge.instrument('-o', output, f'--exceptions={mode}', *ids, '--explain', explain,
                             plain)
            folder = os.path.join(output, 'limits')
            what = f'{mode} {ids[:1]}'
            results = judge.link(folder)
            judge.check(set(results.values()) == {'ok'} and len(results) == len(names),
                        f'{what}: {results}')
            # Ways to run differ by mode only for exceptions, so one is enough for the others.
            if mode == 'finally':
                found = run_all(folder, names)
                judge.check(found == expected, f'{what}: {found}, was {expected}')
            rules = rules_of(explain)
            traced = {name for _, name in judge.traced(os.path.join(output, 'methodMapping.txt'))}
            judge.check('Code65535 run (I)I' not in traced and 'Code65535 main' in ' '.join(traced),
                        f'{what}: only the method that does not fit is skipped')
            judge.check('65535' in rules['Code65535', 'run'],
                        f'{what}: the reason is {rules["Code65535", "run"]}')
            judge.check('Far49 run (I)I' in traced, f'{what}: branches are widened')
            judge.check('Far52 run (I)I' not in traced and 'Far52 main' in ' '.join(traced) and
                        'jump over 32767' in rules['Far52', 'run'],
                        f'{what}: no branch is widened where that takes a frame: {rules["Far52", "run"]}')
            judge.check('Pool15 run (I)I' in traced, f'{what}: 15 free entries are enough')
            judge.check('Pool0 run (I)I' not in traced, f'{what}: a full pool takes no probe')
            skips += sum(f'{name} run (I)I' not in traced for name in names)
            # A second run over its own output changes nothing.
            again = judge.scratch(f'{mode}{len(ids)}again')
            judge.instrument('-o', again, f'--exceptions={mode}', '--base-method-map',
                             os.path.join(output, 'methodMapping.txt'), folder)
            for name in names:
                with open(os.path.join(folder, name + '.class'), 'rb') as one, \
                        open(os.path.join(again, 'limits', name + '.class'), 'rb') as two:
                    probed = f'{name} run (I)I' in traced
                    judge.check(not probed or one.read() == two.read(), f'{what}: {name} twice')
    judge_huge()
    print(f'{len(names)} classes in {2 * len(judge.MODES)} ways, {skips} methods skipped')
    judge.finish()


main()
