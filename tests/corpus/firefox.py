"""The page of report in Firefox, which is asked through Marionette, its own protocol: it is ready,
draws, and has nothing to complain of.

usage: firefox.py METHODBEAT
"""
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
from page import write_pages  # noqa: E402

PATIENCE = 120  # seconds, for a machine that does other things
PREFERENCES = {'marionette.port': 0, 'browser.dom.window.dump.enabled': True,
               'devtools.console.stdout.content': True, 'datareporting.policy.dataSubmissionEnabled': False,
               'app.update.enabled': False, 'network.captive-portal-service.enabled': False,
               'network.connectivity-service.enabled': False, 'browser.shell.checkDefaultBrowser': False}
# What is drawn: how many different colours the chart has.
LOOK = """
const canvas = document.querySelector("#scroller canvas");
const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
const colours = new Set(new Uint32Array(data.buffer));
return [document.body.dataset.ready, document.getElementById("chart-failed").hidden, colours.size,
        document.querySelectorAll("#methods tbody tr").length];
"""


class Marionette:
    """Commands are [0, number, name, arguments], answers [1, number, error, result]; each with its
    length in front."""

    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=PATIENCE)
        self.number = 0
        self.receive()

    def receive(self):
        digits = b''
        while not digits.endswith(b':'):
            digits += self.socket.recv(1)
        text = b''
        while len(text) < int(digits[:-1]):
            text += self.socket.recv(int(digits[:-1]) - len(text))
        return json.loads(text)

    def ask(self, name, **arguments):
        self.number += 1
        text = json.dumps([0, self.number, name, arguments]).encode()
        self.socket.sendall(b'%d:' % len(text) + text)
        _, _, error, result = self.receive()
        if error:
            raise SystemExit(f'{name}: {error}')
        return result


def wait_for(what, get):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        value = get()
        if value:
            return value
        time.sleep(0.1)
    raise SystemExit(f'no {what} after {PATIENCE} s')


def read_port(profile):
    try:
        return int(judge.read(os.path.join(profile, 'MarionetteActivePort')))
    except (FileNotFoundError, ValueError):
        return None


def look(firefox, path):
    firefox.ask('WebDriver:Navigate', url=f'file://{path}')
    wait_for('page that is ready', lambda: firefox.ask(
        'WebDriver:ExecuteScript', script='return document.body.dataset.ready === "true"', args=[])['value'])
    firefox.ask('WebDriver:ExecuteAsyncScript', args=[],
                script='requestAnimationFrame(() => requestAnimationFrame(arguments[0]))')
    return firefox.ask('WebDriver:ExecuteScript', script=LOOK, args=[])['value']


def judge_pages(firefox, folder):
    for name in ('app', 'watched', 'large', 'lapped', 'hostile'):
        ready, has_chart, colours, methods = look(firefox, os.path.join(folder, f'{name}.html'))
        judge.check(ready == 'true' and has_chart and colours > 4 and methods > 0,
                    f'{name}: ready {ready}, chart {has_chart}, {colours} colours, {methods} methods')
        print(f'{name}: {colours} colours, {methods} methods')


def main():
    browser = judge.corpus('firefox')
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = os.path.realpath(folder)
        profile, log = os.path.join(folder, 'profile'), os.path.join(folder, 'log')
        os.mkdir(profile)
        with open(os.path.join(profile, 'user.js'), 'w', encoding='ascii') as file:
            file.writelines(f'user_pref({json.dumps(name)}, {json.dumps(value)});\n'
                            for name, value in PREFERENCES.items())
        write_pages(folder)
        with open(log, 'wb') as out:
            process = subprocess.Popen([browser, '--headless', '--marionette', '--no-remote', '--profile', profile],
                                       stdout=out, stderr=out, env={**os.environ, 'HOME': folder})
        try:
            firefox = Marionette(wait_for('Firefox', lambda: read_port(profile)))
            firefox.ask('WebDriver:NewSession')
            judge_pages(firefox, folder)
            firefox.ask('Marionette:Quit', flags=['eForceQuit'])
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
        said = [line for line in judge.read(log).splitlines()
                if 'file://' in line and ('rror' in line or 'ecurity' in line)]
        judge.check(not said, f'Firefox says {said}')
    judge.finish()


if __name__ == '__main__':
    main()
