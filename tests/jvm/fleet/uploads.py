"""Uploads of a spool: each issue that is marked for report reaches the server, whatever happens between, and nothing
outside of the spool is sent or deleted.

usage: uploads.py METHODBEAT RUNTIME_JAR LIBRARY FAILING
"""
import glob
import gzip
import hashlib
import http.server
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'support'))
import judge  # noqa: E402
from judge import check  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
FAILING = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
DAY = '20261121'
DAY_MS = 86400000
HOLDS = 0.5  # seconds, of a server that is slow


class Server:
    """Keeps what it gets; answers as told."""

    def __init__(self):
        self.code, self.seconds = 204, 0
        self.uploads = []  # (name, body)
        self.at_once = self.most_at_once = 0
        self.meanwhile = lambda: None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                outer.take(self)

            do_PUT = do_POST

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.http.server_port}/up'
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def take(self, request):
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        body = request.rfile.read(int(request.headers['Content-Length']))
        self.uploads.append((request.path.split('/')[-1], body))
        time.sleep(self.seconds)
        self.meanwhile()
        self.at_once -= 1
        request.send_response(self.code)
        request.end_headers()

    def names(self):
        """(incident of a line, name of its upload) for each line that came"""
        found = []
        for name, body in self.uploads:
            check(name == hashlib.sha256(body).hexdigest()[:32], f'{name} is of its body')
            for line in gzip.decompress(body).decode().splitlines():
                found.append((json.loads(line)['methodbeat']['incident'], name))
        return found

    def incidents(self):
        return [incident for incident, _ in self.names()]


def issue_text(number, report=True, fill=0):
    told = {'report': not report, 'text': '"report":true', 'fill': os.urandom(fill).hex()}
    return json.dumps({'tag': 'Trace_EvilMethod', 'methodbeat': {
        'incident': f'5f1c-{number}', 'told': told, 'report': report, 'counted': {'same_key_today': 1}}},
        separators=(',', ':')) + '\n'


def file_name(number):
    return f'142233.{number:03}-NORMAL-9f3a6c01-5f1c-{number}.json'


def put(text, *names):
    path = judge.scratch(*names)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def spool_of(name, count, fill=0):
    """Its path; as many issues, of two processes."""
    for number in range(count):
        put(issue_text(number, fill=fill), name, 'app' if number % 2 else 'app-2', DAY, file_name(number))
    return judge.scratch(name, '')


def left_in(spool):
    return sorted(os.path.relpath(path, spool) for path in glob.glob(f'{glob.escape(spool)}/**/*.json', recursive=True,
                                                                     include_hidden=True))


def command(spool, url, *words):
    return ('java', *judge.BRIEF, '-XX:-UsePerfData', '-cp', f'{judge.scratch("out")}:{RUNTIME}', 'Sending', spool, url,
            *words)


def send(spool, server, *words, **more):
    return judge.run(command(spool, server.url, *words), timeout=120, **more)


def waits(done):
    return [int(text) for text in re.findall(r'^WAIT (\d+)$', done.stdout, re.M)]


def judge_all_sent():
    server, spool = Server(), spool_of('plain', 40, fill=400)
    put(issue_text(90, report=False), 'plain', 'app', DAY, file_name(90))
    put(issue_text(91).rstrip('\n'), 'plain', 'app', DAY, file_name(91))
    done = send(spool, server, 'upload=5000', 'run')
    check(waits(done) == [0], f'all is sent: {done.stdout} {done.stderr}')
    check(sorted(server.incidents()) == sorted(f'5f1c-{n}' for n in [*range(40), 91]), f'each once: {server.incidents()}')
    check(all(len(body) <= 5000 for _, body in server.uploads) and
          sum(len(body) for _, body in server.uploads) > 0.7 * 5000 * (len(server.uploads) - 1),
          f'uploads are full, not overfull: {[len(body) for _, body in server.uploads]}')
    check(left_in(spool) == [f'app/{DAY}/{file_name(90)}'], f'left: {left_in(spool)}')
    done = send(spool, server, 'run', 'all', 'run')
    check(waits(done) == [0, 0] and server.incidents()[-1] == '5f1c-90' and left_in(spool) == [], 'all of them')
    done = send('/none', server, 'run')
    check(waits(done) == [0] and not os.path.exists('/none'), f'no spool: {done.stdout} {done.stderr}')


def judge_sessions():
    server, spool = Server(), judge.scratch('sessions', '')
    text = '{"schema":1,"methodbeat":{"incident":"session"},"day":20261121}\n'
    fresh = put(text, 'sessions', 'app', DAY, 'session-5f1c.json')
    done = send(spool, server, 'run')
    check(waits(done) == [0] and server.uploads == [], 'sums that may change stay')
    os.utime(fresh, (time.time() - 90000,) * 2)
    done = send(spool, server, 'run')
    check(waits(done) == [0] and server.incidents() == ['session'] and left_in(spool) == [], 'a day later they go')


def judge_limits():
    server, spool = Server(), spool_of('limits', 12, fill=1000)
    done = send(spool, server, 'upload=4000', 'day=9000', 'run')
    sent = sum(len(body) for _, body in server.uploads)
    check(4000 < sent <= 9000 and 0 < waits(done)[0] <= DAY_MS, f'{sent} bytes of a day, then {waits(done)}')
    before = len(server.uploads)
    done = send(spool, server, 'upload=4000', 'day=9000', 'run')
    check(len(server.uploads) == before and waits(done)[0] > 0, 'after a restart too')
    done = send(spool, server, 'metered', 'run')
    check(len(server.uploads) == before and waits(done)[0] > 0 and 'MAY' in done.stdout, 'not on this network')
    done = send(spool, server, 'upload=100', 'run', 'upload=5000', 'run')
    check(waits(done) == [0, 0] and sorted(set(server.incidents())) == sorted(f'5f1c-{n}' for n in range(12)), 'then all')
    big = spool_of('big', 2, fill=3000)
    done = send(big, server, 'upload=2000', 'run')
    check(waits(done) == [0] and done.stderr.count('too large') == 2 and len(left_in(big)) == 2, 'what is too large is told')


def judge_back_off():
    server, spool = Server(), spool_of('late', 3)
    server.code = 500
    times = ('first=100000', 'most=300000')
    found = []
    for _ in range(3):  # each in a process of its own, which the one before keeps from sending
        done = send(spool, server, *times, 'run', 'run')
        found.append(waits(done))
        check(len(server.uploads) == len(found), f'one upload: {len(server.uploads)}')
        with open(os.path.join(spool, '.uploads', 'state'), 'r+b') as file:
            file.seek(8)
            file.write(bytes(8))  # the time has come
    for (wait, again), longest in zip(found, (100000, 200000, 300000)):
        check(longest // 2 - 5000 <= again <= wait <= longest, f'{wait}, {again} of {longest} ms')
    server.code = 204
    done = send(spool, server, *times, 'throw', 'run')
    check('on purpose' in done.stderr and waits(done)[0] > 100000, f'an exception is a failure: {done.stderr}')
    with open(os.path.join(spool, '.uploads', 'state'), 'r+b') as file:
        file.seek(8)
        file.write(b'\x7f' * 8)  # the clock was put back
    done = send(spool, server, *times, 'run')
    check(waits(done) == [0] and len({name for name, _ in server.uploads}) == 1, 'the same upload each time')
    spool_of('late', 1)
    server.code = 413
    for number in range(18):
        put(issue_text(number), 'late', 'app', DAY, file_name(number))
        done = send(spool, server, 'run')
        check(waits(done) == [0] and 'was refused, and is kept in ' in done.stderr and 'HTTP status 413' in done.stderr,
              f'refused: {done.stdout} {done.stderr}')
    check(len(left_in(spool)) == 16 and all(path.endswith('-' + file_name(2 + place)) for place, path in enumerate(left_in(spool))),
          f'of what was refused the last 16 are kept: {left_in(spool)}')
    spool = spool_of('without', 1)
    server.http.server_close()
    check(waits(send(spool, server, 'run'))[0] > 0 and len(left_in(spool)) == 1, 'no server')


def judge_deaths():
    for how, times in (('die-before', 1), ('die-after', 2)):
        server, spool = Server(), spool_of(how, 5)
        done = send(spool, server, how, 'run')
        check(done.returncode == 9, 'it died')
        put(issue_text(50), how, 'app', DAY, file_name(50))  # meanwhile
        time.sleep(0.01)
        done = send(spool, server, 'run')
        names = server.names()
        check(waits(done) == [0] and len(names) == 5 * times + 1 and len(set(names)) == 6,
              f'{how}: {times} times under one name: {names}')
        check(left_in(spool) == [], f'{how}: left {left_in(spool)}')


def judge_two():
    server, spool = Server(), spool_of('two', 30, fill=300)
    server.seconds = HOLDS
    lines = command(spool, server.url, 'upload=5000', *('run',) * 4)
    runs = [subprocess.Popen(lines, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    texts = [run.communicate(timeout=120)[0] for run in runs]
    done = send(spool, server, 'run')
    check(waits(done) == [0] and all('DONE' in text for text in texts), f'all end: {texts}')
    check(server.most_at_once == 1, f'{server.most_at_once} at once')
    check(sorted(server.incidents()) == sorted(f'5f1c-{n}' for n in range(30)), f'each once: {server.incidents()}')


def judge_beneath():
    """The spool's limits and other programs remove and add files while an upload is on its way."""
    server, spool = Server(), spool_of('beneath', 12, fill=300)

    def change():
        for path in glob.glob(f'{spool}app/{DAY}/*.json')[:1]:
            os.remove(path)
        put(issue_text(60 + len(server.uploads)), 'beneath', 'app', '20261120', file_name(60 + len(server.uploads)))
        server.meanwhile = change if len(server.uploads) < 3 else lambda: None

    server.meanwhile = change
    done = send(spool, server, 'upload=1500', 'run')
    found = server.incidents()
    check(waits(done) == [0] and len(found) == len(set(found)) and {'5f1c-61', '5f1c-62', '5f1c-63'} <= set(found),
          f'what is there is sent: {found} {done.stderr}')
    check(left_in(spool) == [], f'left: {left_in(spool)}')


def judge_hostile():
    server, spool = Server(), spool_of('hostile', 3)
    outside = [put(issue_text(70 + n), 'outside', DAY, file_name(70 + n)) for n in range(3)]
    folder = os.path.dirname(os.path.dirname(outside[0]))
    day = judge.scratch('hostile', 'app', DAY)
    os.symlink(outside[0], os.path.join(day, file_name(70)))
    os.symlink(os.path.join(folder, DAY), judge.scratch('hostile', 'app', '20261119'))
    os.symlink(folder, judge.scratch('hostile', 'linked'))
    os.symlink(spool, judge.scratch('hostile', 'app', '20261118'))
    os.mkfifo(os.path.join(day, file_name(71)))
    os.mkdir(os.path.join(day, file_name(72)))
    for name in ('../x.json', 'lock', '142233.001-NORMAL-9f3a6c01-5f1c-1.json\n', 'session-.json', f'.{file_name(5)}'):
        put(issue_text(80), 'hostile', 'app', DAY, name)
    put('no JSON "report":true\n', 'hostile', 'app', DAY, file_name(81))
    put('', 'hostile', 'app', DAY, file_name(82))
    os.truncate(put(issue_text(83), 'hostile', 'app', DAY, file_name(83)), 1 << 30)
    before = len(os.listdir(day))
    done = send(spool, server, 'run')
    check(waits(done) == [0] and sorted(server.incidents()) == [f'5f1c-{n}' for n in range(3)],
          f'only its own: {server.uploads} {done.stderr}')
    check(all(map(os.path.exists, outside)) and len(os.listdir(day)) == before - 1, 'nothing else is gone')
    for name in ('.uploads', '.uploads/pack', '.uploads/sent', '.uploads/state'):
        spool = spool_of('led' + name.replace('/', '-'), 2)
        os.makedirs(os.path.dirname(os.path.join(spool, name)), exist_ok=True)
        os.symlink(os.path.join(folder, DAY), os.path.join(spool, name))
        done = send(spool, server, 'run')
        check(waits(done)[0] > 0 and 'link' in done.stderr and len(left_in(spool)) >= 2, f'{name} is a link: {done.stderr}')
    spool = spool_of('packed', 2)
    os.symlink(outside[0], judge.scratch('packed', '.uploads', 'pack', f'{DAY}-{file_name(70)}'))
    os.makedirs(judge.scratch('packed', '.uploads', 'sent', 'full', 'full'))
    done = send(spool, server, 'run')
    check(waits(done) == [0] and len(server.incidents()) == 5 and all(map(os.path.exists, outside)),
          f'a link in the pack: {done.stderr}')


CALLS = {'/libjava.so': 'mkdir,rename,remove,unlink,rmdir,open64', '/libnio.so': 'pwrite,pwrite64'}


def judge_each_step():
    """Killed before each change of a file, so after the one before, and each of them fails for want of room."""
    steps = 0
    for caller, calls in CALLS.items():
        for how in ('before', 'error'):
            for at in range(1, 200):
                name, hit = f'step-{how}-{at}-{caller[4:8]}', judge.scratch('hit', f'{caller[4:8]}-{how}-{at}')
                server, spool = Server(), spool_of(name, 3, fill=300)
                done = send(spool, server, 'upload=1500', 'run', env={
                    **os.environ, 'LD_PRELOAD': FAILING, 'FAULT_CALLS': calls, 'FAULT_CALLER': caller, 'FAULT_HOW': how,
                    'FAULT_AT': str(at), 'FAULT_ERROR': '28', 'FAULT_HIT': hit})
                check(how != 'error' or 'DONE' in done.stdout or 'load main class' in done.stderr,
                      f'{name}: {done.stdout} {done.stderr}')
                time.sleep(0.005)
                again = send(spool, server, 'upload=1500', 'run')
                names = server.names()
                check(waits(again) == [0] and {incident for incident, _ in names} == {f'5f1c-{n}' for n in range(3)},
                      f'{name}: all came: {names} {again.stdout} {again.stderr}')
                check(len(set(names)) == 3 and max(map(names.count, names)) <= 2 and left_in(spool) == [],
                      f'{name}: under one name each: {names} {left_in(spool)}')
                server.http.shutdown()
                server.http.server_close()
                if not os.path.exists(hit):
                    break
                steps += 1
    check(steps > 40, f'{steps} steps are too few')
    print(f'{steps} steps')


def judge_monitors():
    """The spool that the monitors write."""
    server, spool = Server(), judge.scratch('real', '')
    judge.must(('java', *judge.BRIEF, f'-Dmethodbeat.library={LIBRARY}', f'-Dmethodbeat.spool={spool}', '-cp',
                f'{judge.scratch("out")}:{RUNTIME}', 'Stalls', 'start', 'issue:checkout;one;{"report":false}',
                'issue:checkout;two;', 'stop'))
    files = left_in(spool)
    done = send(spool, server, 'run')
    check(len(files) == 2 and waits(done) == [0] and len(set(server.incidents())) == 2 and left_in(spool) == [],
          f'the monitors: {files} {server.uploads} {done.stderr}')
    path = judge.scratch('received.json')
    with open(path, 'wb') as file:
        file.write(gzip.decompress(server.uploads[0][1]))
    shown = json.loads(judge.must((judge.METHODBEAT, 'issues', '--format=json', '--strict', path)).stdout)
    check(shown['issues'] == 2, f'issues reads what came: {shown}')


def judge_samples():
    """Android's is compiled, with the other's uploader in its package; the other runs."""
    uploader = judge.read(os.path.join(judge.ROOT, 'samples', 'java', 'uploads', 'HttpUploader.java'))
    moved = put('package sample.uploads;\n' + uploader, 'moved', 'HttpUploader.java')
    judge.compile_java(judge.scratch('worker'), (
        os.path.join(judge.ROOT, 'samples', 'android', 'uploads'), moved,
        os.path.join(judge.TESTS, 'jvm', 'fleet', 'stubs')), '-cp', RUNTIME, '--release', '8', '-Xlint:-options')
    server, spool = Server(), spool_of('sample', 2)
    for code, said in ((500, 'again in '), (204, 'again in ')):  # the second waits, as it should
        server.code = code
        done = judge.must(('java', *judge.BRIEF, '-cp', f'{judge.scratch("out")}:{RUNTIME}', 'HttpUploader', spool, server.url))
        check(done.stdout.startswith(said) and len(server.uploads) == 1, f'the sample: {done.stdout}')
    os.remove(os.path.join(spool, '.uploads', 'state'))
    done = judge.must(('java', *judge.BRIEF, '-cp', f'{judge.scratch("out")}:{RUNTIME}', 'HttpUploader', spool, server.url))
    check(done.stdout == 'all is sent\n' and left_in(spool) == [], f'the sample: {done.stdout}')


def start_intake(folder):
    """The sample's nginx, as this user, with what it names in a folder of its own. Its address."""
    for name in ('incoming', 'uploads', 'log'):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    text = judge.read(os.path.join(judge.ROOT, 'samples', 'fleet', 'intake', 'nginx.conf'))
    for old, new in (('/var/lib/methodbeat', folder), ('/run', folder), ('/var/log/nginx', f'{folder}/log'), ('8080', f'127.0.0.1:{port}'),
                     ('pid ', f'user {pwd.getpwuid(os.getuid()).pw_name};\ndaemon off;\npid ')):
        text = text.replace(old, new)
    put(text, 'intake', 'nginx.conf')
    put('"Bearer s3cret" shop;\n', 'intake', 'tokens.conf')
    server = subprocess.Popen(('nginx', '-e', f'{folder}/log/start', '-c', f'{folder}/nginx.conf'))
    for _ in range(100):
        with socket.socket() as tried:
            if tried.connect_ex(('127.0.0.1', port)) == 0:
                break
        time.sleep(0.1)
    return server, f'http://127.0.0.1:{port}/issues'


def judge_intake():
    """The sample's server takes what the sample's uploader sends, once, and nothing else."""
    if not shutil.which('nginx'):
        print('no nginx: the intake is not judged')
        return
    folder = judge.scratch_folder('intake')
    server, url = start_intake(folder)

    def sent(spool, token, *words):
        state = os.path.join(spool, '.uploads', 'state')
        if os.path.exists(state):
            os.remove(state)
        done = judge.run(command(spool, url, *words), timeout=120, env={**os.environ, 'INTAKE_TOKEN': token})
        return done, sorted(glob.glob(f'{folder}/uploads/*/*/*'))

    try:
        spool = spool_of('to-intake', 12, fill=2000)
        done, there = sent(spool, 'wrong', 'upload=9000', 'run')
        check(waits(done)[0] > 0 and not there and len(left_in(spool)) == 12, f'401: {done.stdout} {done.stderr}')
        done, there = sent(spool, 's3cret', 'die-after', 'upload=9000', 'run')
        check(done.returncode == 9 and len(there) == 1, f'killed: {there}')
        done, there = sent(spool, 's3cret', 'upload=9000', 'run')
        day = time.strftime('day=%Y-%m-%d')
        check(waits(done) == [0] and all(path.startswith(f'{folder}/uploads/shop/{day}/') for path in there) and len(there) > 2,
              f'each in a file of its day: {there} {done.stderr}')
        rows = judge.must((judge.METHODBEAT, 'fleet', 'rows', '-o', judge.scratch('rows.ndjson'), f'{folder}/uploads/shop/{day}'))
        check('12 issues' in rows.stdout, f'rows of what came: {rows.stdout}')
        big = spool_of('too-big', 1, fill=1000000)
        done, again = sent(big, 's3cret', 'upload=2000000', 'run')
        check('HTTP status 413' in done.stderr and again == there and len(left_in(big)) == 1, f'413: {done.stdout} {done.stderr}')
        for method, path, body in (('GET', f'{os.path.basename(there[0])[:32]}', None), ('DELETE', f'{os.path.basename(there[0])[:32]}', None),
                                   ('PUT', '../../../x', b'x'), ('PUT', 'x.ndjson', b'x'), ('POST', 'a' * 32, b'x')):
            asked = urllib.request.Request(f'{url}/{path}', body, {'Authorization': 'Bearer s3cret'}, method=method)
            try:
                code = urllib.request.urlopen(asked).status
            except urllib.error.HTTPError as error:
                code = error.code
            check(code >= 400 and sorted(glob.glob(f'{folder}/uploads/*/*/*')) == there, f'{method} {path}: {code}')
        many = spool_of('many', 80, fill=3000)
        done, _ = sent(many, 's3cret', 'upload=7000', 'day=100000000', 'run')
        check(waits(done)[0] > 0 and len(left_in(many)) > 1, f'429 comes later: {done.stdout}')
    finally:
        server.terminate()
        server.wait()


def main():
    judge.compile_java(judge.scratch('out'), (
        os.path.join(judge.TESTS, 'jvm', 'fleet', 'Sending.java'), os.path.join(judge.TESTS, 'jvm', 'Stalls.java'),
        os.path.join(judge.ROOT, 'samples', 'java', 'uploads')), '-cp', RUNTIME)
    for act in (judge_all_sent, judge_sessions, judge_limits, judge_back_off, judge_deaths, judge_two, judge_beneath,
                judge_hostile, judge_monitors, judge_samples, judge_intake, *([judge_each_step] if FAILING else [])):
        act()
        print(act.__name__[6:], flush=True)
    judge.finish()


main()
