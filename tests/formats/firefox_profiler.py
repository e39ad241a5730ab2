"""What Firefox Profiler's own command line says of a profile. Its server is a child of ours, and asked by
its socket: the client that comes with it gives up on a busy machine.
"""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time


class Profiler:
    """One profile, loaded; a context, so that nothing is left of it."""

    def __init__(self, node, program, profile, seconds=300):
        self.deadline = time.monotonic() + seconds
        self.folder = tempfile.mkdtemp(prefix='profiler-')  # short: it is part of a socket's name
        self.log = open(os.path.join(self.folder, 'out'), 'w+', encoding='utf-8')
        started = time.monotonic()
        self.child = subprocess.Popen(
            [node, program, '--daemon', os.path.abspath(profile), '--session', 's'],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, 'PROFILER_CLI_SESSION_DIR': self.folder})
        try:
            self.wait()
        except BaseException:
            self.close()
            raise
        self.seconds = time.monotonic() - started

    def wait(self):
        """Until the profile is there."""
        while True:
            answer = self.ask({'type': 'status'})
            if answer is not None and answer['type'] == 'ready':
                return
            if answer is not None and answer['type'] == 'error' or self.child.poll() is not None:
                raise RuntimeError(f'{answer} {self.said()}')
            if time.monotonic() > self.deadline:
                raise RuntimeError(f'the profile does not load: {self.said()}')
            time.sleep(0.1)

    def said(self):
        self.log.seek(0)
        return self.log.read()[-2000:]

    def ask(self, message):
        """The answer; None while nobody listens."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(max(1, self.deadline - time.monotonic()))
            try:
                line.connect(os.path.join(self.folder, 's.sock'))
            except OSError:
                return None
            line.sendall(json.dumps(message).encode() + b'\n')
            answer = b''
            while not answer.endswith(b'\n'):
                piece = line.recv(1 << 20)
                if not piece:
                    raise RuntimeError(f'no answer: {self.said()}')
                answer += piece
            return json.loads(answer)

    def tell(self, command, subcommand, **more):
        """The result of a command."""
        answer = self.ask({'type': 'command',
                           'command': {'command': command, 'subcommand': subcommand, **more}})
        if answer is None or answer['type'] != 'success':
            raise RuntimeError(f'{command} {subcommand}: {answer} {self.said()}')
        return answer['result']

    def close(self):
        self.child.kill()
        self.child.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
