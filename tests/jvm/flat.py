"""Recording takes no more memory the longer it lasts, and the more often it begins: classes come and go beside samples, and samples and
probes beside each other, and one JVM is attached to time and again.

usage: flat.py METHODBEAT AGENT [CLASSES ATTACHES]
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
CLASSES, ATTACHES = (int(word) for word in sys.argv[3:5]) if len(sys.argv) > 4 else (60000, 12)
os.environ.pop('MALLOC_PERTURB_', None)  # which fills memory that is not used yet
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'flat', 'Churn.java')
JAVA = ('java', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xms64m', '-Xmx64m', '-XX:+AlwaysPreTouch', '-Xcheck:jni', '-cp', 'classes',
        'Churn', 'classes/Churn$T000000.class')
MOST_LOADERS = 10000
MOST_EACH = 120  # bytes of memory for a class that is gone: 370 once
MOST_OF_ATTACH = 64 << 10
NOISE = 3 << 20


def check_jni(text, what):
    judge.check('WARNING' not in text and 'FATAL' not in text, f'{what}: -Xcheck:jni says nothing: {text[:2000]}')


def judge_churn(folder, sample):
    done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, sample, '--trace', 'churn.mbtrace', '--', *JAVA, str(CLASSES)), cwd=folder)
    sizes = [int(line) * 1024 for line in done.stdout.split() if line.isdigit()]
    if not judge.check(done.returncode == 0 and 'ended' in done.stdout and len(sizes) == 6, f'{sample}: {done}'):
        return
    growth, classes = sizes[5] - sizes[2], CLASSES // 2
    judge.check(growth < MOST_EACH * classes + NOISE, f'{sample}: {growth} bytes more for {classes} classes: {sizes}')
    check_jni(done.stdout, sample)
    told = ' '.join(judge.must((judge.METHODBEAT, 'report', '--show=trust', 'churn.mbtrace'), cwd=folder).stdout.split())
    judge.check('have no names in stacks, but unknown' in told, f'{sample}: {told}')
    print(f'{sample}: {CLASSES} classes, {", ".join(str(size >> 20) for size in sizes)} MB, trace {trace_size(folder) >> 10} kB')


def trace_size(folder):
    return os.stat(os.path.join(folder, 'churn.mbtrace')).st_blocks * 512


def figures(pid):
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        rows = dict(line.split(':', 1) for line in file)
    return int(rows['VmRSS'].split()[0]) * 1024, int(rows['Threads']), len(os.listdir(f'/proc/{pid}/fd'))


def attach_often(folder, options, pid):
    seen = []
    for _ in range(ATTACHES):
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, *options, '--for', '1', '--trace', 'churn.mbtrace', str(pid)),
                         cwd=folder)
        judge.check(done.returncode == 0, f'{options}: {done}')
        seen.append(figures(pid))
    return seen


def thirds(seen):
    """The least of the second and of the last: between two collections."""
    third = ATTACHES // 3
    return (tuple(map(min, zip(*part))) for part in (seen[third:-third], seen[-third:]))


def has_grown(seen):
    first, last = thirds(seen)
    return last[0] - first[0] >= MOST_OF_ATTACH * (ATTACHES // 3) + NOISE


def judge_attaches(folder, options):
    with subprocess.Popen((*JAVA, '0'), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as jvm:
        judge.check(jvm.stdout.readline() == 'ready\n', f'{options}: the program starts')
        seen = attach_often(folder, options, jvm.pid)
        if has_grown(seen):  # by an arena of the allocator, once; or each time
            seen = attach_often(folder, options, jvm.pid)
        out = jvm.communicate('\n', timeout=60)[0]
    judge.check(jvm.returncode == 0 and 'ended' in out, f'{options}: {jvm.returncode} {out[:2000]}')
    check_jni(out, f'attach {options}')
    first, last = thirds(seen)
    judge.check(not has_grown(seen), f'{options}: memory grows: {seen}')
    judge.check(last[1] <= first[1] and last[2] <= first[2], f'{options}: threads and files: {seen}')
    print(f'{ATTACHES} times attach {options}: {first[0] >> 20} MB, then {last[0] >> 20} MB, {last[1]} threads, {last[2]} files')


def main():
    folder = judge.scratch_folder('flat')
    judge.must(('javac', '-d', os.path.join(folder, 'classes'), SOURCE))
    for sample in '--sample', '--sample=both':
        judge_churn(folder, sample)
    for options in (), ('--sample',):
        judge_attaches(folder, options)
    judge.finish()


main()
