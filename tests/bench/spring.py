#!/usr/bin/env python3
"""What the first screen says of a Spring Boot service whose prices cost most, by run and by attach, and when attach begins.

usage: spring.py METHODBEAT [ROUNDS [LOAD]]

The service comes from Maven Central and is built here; four clients ask it for SECONDS, or twice as long as its start
took, beside LOAD busy loops (default 4). It is right if the first line names PriceService.hash, or if attach gives up
with advice within 20 s. By hand: minutes, downloads, a port.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from neighbours import busy_loops

HERE = os.path.dirname(os.path.abspath(__file__))
METHODBEAT = os.path.abspath(sys.argv[1])
SECONDS, CLIENTS, SOON, PATHS = 15, 4, 20, ('price', 'stock', 'hello')
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def free_port():
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return found.getsockname()[1]


def ask(port, path):
    with DIRECT.open(f'http://127.0.0.1:{port}/{path}', timeout=60) as answer:
        return answer.read()


def await_service(port):
    end = time.monotonic() + 300
    while time.monotonic() < end:
        try:
            return ask(port, 'hello')
        except OSError:
            time.sleep(0.5)
    sys.exit('the service does not answer')


class Clients:
    """They ask until the end, or until the service ends."""

    def __init__(self, port):
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.visit, args=(port, number)) for number in range(CLIENTS)]

    def visit(self, port, number):
        while not self.is_over.is_set():
            for path in PATHS:
                ask(port, path + (f'/item{number}' if path != 'hello' else ''))

    def __enter__(self):
        for thread in self.threads:
            thread.start()

    def __exit__(self, *error):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def start(folder, *before):
    port = free_port()
    command = (*before, 'java', '-jar', os.path.join(folder, 'target', 'shop-1.jar'), f'--server.port={port}')
    service = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    threading.Thread(target=lambda: setattr(service, 'said', service.stdout.read()), daemon=True).start()
    await_service(port)
    return service, port


def first_line(folder, trace):
    report = subprocess.run((METHODBEAT, 'report', trace), cwd=folder, capture_output=True, text=True, check=True)
    return report.stdout.split('\n\n')[0].replace('\n', ' ')


def by_run(folder):
    trace = os.path.join(folder, 'run.mbtrace')
    begin = time.monotonic()
    service, port = start(folder, METHODBEAT, 'run', '--trace', trace)
    with Clients(port):
        time.sleep(max(SECONDS, 2 * (time.monotonic() - begin)))
    service.send_signal(signal.SIGINT)
    service.wait(120)
    return first_line(folder, trace)


def by_attach(folder):
    """(seconds until it records, first line)"""
    trace = os.path.join(folder, 'attach.mbtrace')
    service, port = start(folder)
    with Clients(port):
        time.sleep(3)
        begin = time.monotonic()
        with subprocess.Popen((METHODBEAT, 'attach', '--for', str(SECONDS), '--trace', trace, str(service.pid)), cwd=folder,
                              text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as attach:
            said = []
            for line in attach.stderr:
                said.append(line)
                if 'recording for' in line:
                    break
            seconds = time.monotonic() - begin
            said.append(attach.stderr.read())
    service.kill()
    if attach.returncode != 0:
        return seconds, said[-1]
    return seconds, first_line(folder, trace)


def judge(what, line, is_advice_enough=False):
    is_right = re.search(r'PriceService\.hash', line) is not None or (is_advice_enough and '--focus' in line)
    print(f'{what}: {"right" if is_right else "wrong"}: {line[:300]}', flush=True)
    return is_right


def main():
    rounds, load = (int(given) for given in sys.argv[2:4] + ['1', '4'][len(sys.argv) - 2:])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(HERE, 'spring'), folder, dirs_exist_ok=True)
        subprocess.run(('mvn', '-q', '-B', 'package'), cwd=folder, check=True)
        right = 0
        with busy_loops(load):
            for _ in range(rounds):
                right += judge('run', by_run(folder))
                seconds, line = by_attach(folder)
                right += judge(f'attach, recording after {seconds:.1f} s', line, seconds < SOON)
        print(f'{right} of {2 * rounds} right')


main()
