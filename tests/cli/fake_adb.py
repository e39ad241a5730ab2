#!/usr/bin/env python3
"""A device behind adb: one display and a ring of 127 frames, in a time of its own that goes on with each question.

The environment says what it is: FAKE_ADB, a JSON object with
    folder   where its state is, and a log of what it was asked
    hz, each      the display; vsyncs that frames take, in turn
    layers   what --list prints; shows: the name whose ring has the frames, as its --latency is asked
    step_ms  time between two questions of --latency
    dead     a line for standard error; the exit status is 1
    timestats, gfxinfo   what they print; gfxinfo false: nothing
    crlf     line ends as an old adb has them
"""
import json
import os
import shlex
import sys

PENDING = 9223372036854775807
NO_FRAMES = '0\t0\t0\n' * 127


def presents(device, until):
    """All times at which a frame was shown."""
    period = round(1e9 / device['hz'])
    at, times, turn = 10 ** 9, [], 0
    while at <= until:
        times.append(at)
        at += period * device['each'][turn % len(device['each'])]
        turn += 1
    return times


def latency(device, name):
    state = os.path.join(device['folder'], 'time')
    now = int(open(state).read()) if os.path.exists(state) else 10 ** 9
    period = round(1e9 / device['hz'])
    head = f'{period}\n'
    if name not in device['layers_known']:
        return head
    if name != device['shows']:
        return head + NO_FRAMES + '\n'
    now += device['step_ms'] * 10 ** 6
    with open(state, 'w') as file:
        file.write(str(now))
    rows = [(at - period, at, at - period // 2) for at in presents(device, now)][-125:]
    pending = [(now, PENDING, now + 1), (now + 1, PENDING, PENDING)]
    rows = [(0, 0, 0)] * (125 - len(rows)) + rows + pending
    return head + ''.join(f'{a}\t{b}\t{c}\n' for a, b, c in rows) + '\n'


def dumpsys(device, words):
    if words[:2] == ['SurfaceFlinger', '--list']:
        return '\n'.join(device['layers']) + '\n'
    if words[:2] == ['SurfaceFlinger', '--latency']:
        return latency(device, words[2] if len(words) > 2 else '')
    if words[:2] == ['SurfaceFlinger', '--timestats']:
        return device.get('timestats', '') if '-dump' in words else ''
    if words[0] == 'gfxinfo':
        return device.get('gfxinfo', '')
    return f"Can't find service: {words[0]}\n"


def main():
    device = json.loads(os.environ['FAKE_ADB'])
    with open(os.path.join(device['folder'], 'asked'), 'a') as log:
        log.write(json.dumps(sys.argv[1:]) + '\n')
    if 'dead' in device:
        sys.stderr.write(device['dead'] + '\n')
        return 1
    arguments = sys.argv[1:]
    if arguments[0] == '-s':
        arguments = arguments[2:]
    if arguments[0] != 'shell':
        return 1
    # adb joins its words with spaces, and the device's shell takes them apart.
    words = shlex.split(' '.join(arguments[1:]))
    device['layers_known'] = device.get('known', [device['shows']])
    text = dumpsys(device, words[1:])
    sys.stdout.write(text.replace('\n', '\r\n') if device.get('crlf') else text)
    return 0


sys.exit(main())
