"""What stands between adb and a device: a server on a port of this machine, behind which is fake_adb.py.

It speaks as much of adb's protocol as `adb shell` needs: requests and answers have their length in front, in
hexadecimal; the shell's second version packs outputs and exit status.
"""
import re
import socket
import struct
import subprocess
import threading


def version_of(adb):
    """The number that client and server have to have in common; None if the program does not run."""
    try:
        done = subprocess.run([adb, 'version'], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    found = re.search(r'version 1\.0\.(\d+)', done.stdout)
    return int(found[1]) if found else None


class Server:
    """fake: the program behind `shell`, or None: there is no device. features: of the device."""

    def __init__(self, version, fake, features, env):
        self.version, self.fake, self.features, self.env = version, fake, features, env
        self.services = []
        self.socket = socket.create_server(('127.0.0.1', 0), backlog=16)
        self.address = f'tcp:127.0.0.1:{self.socket.getsockname()[1]}'
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile('rwb') as stream:
            while self.answer(stream):
                stream.flush()

    def answer(self, stream):
        """False if this was the last word."""
        head = stream.read(4)
        service = stream.read(int(head, 16)).decode() if len(head) == 4 else ''
        if service == 'host:version':
            text = f'{self.version:04x}'
            stream.write(f'OKAY{len(text):04x}{text}'.encode())
        elif self.fake is None or not service:
            text = 'no devices/emulators found'
            stream.write(f'FAIL{len(text):04x}{text}'.encode())
        elif service.endswith(':features'):
            stream.write(f'OKAY{len(self.features):04x}{self.features}'.encode())
        elif service.startswith('host:tport'):
            stream.write(b'OKAY' + struct.pack('<Q', 1))
            return True
        elif service.startswith('host:transport'):
            stream.write(b'OKAY')
            return True
        else:
            self.run(stream, service)
        return False

    def run(self, stream, service):
        self.services.append(service)
        kind, command = service.split(':', 1)
        done = subprocess.run([self.fake, 'shell', command], env=self.env, capture_output=True)
        stream.write(b'OKAY')
        if not kind.startswith('shell,v2'):
            stream.write(done.stdout)
            return
        stream.write(b'\1' + struct.pack('<I', len(done.stdout)) + done.stdout)
        stream.write(b'\3' + struct.pack('<I', 1) + bytes([done.returncode]))

    def close(self):
        self.socket.close()
