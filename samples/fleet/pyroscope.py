#!/usr/bin/env python3
"""Push traces to Grafana Pyroscope, as profiles that have the app and the device as labels.

usage: pyroscope.py [--methodbeat COMMAND] [--method-map PATH] (--url URL [--tenant ID] | --write FOLDER) TRACE...

A profile stays within what Pyroscope takes by default: 16,000 stacks of 1,000 calls, 4 MiB unpacked, 30 labels of a
series. --write: the requests, instead of sending them.
"""
import argparse
import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
import uuid

MOST_STACKS, MOST_BYTES = 16000, 4 << 20
LABELS = {'version': 'app_version', 'channel': 'app_channel', 'build': 'app_build', 'maker': 'device_maker',
          'model': 'device_model', 'abi': 'device_abi', 'os': 'os_name', 'os_level': 'os_level'}  # and nothing of one device


def report(command, trace, *options):
    return subprocess.run([*command, *options, trace], check=True, stdout=subprocess.PIPE).stdout


def profile(command, trace):
    """Packed, with fewer stacks until it is small enough."""
    most = MOST_STACKS
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'profile.pb.gz')
        while True:
            report(command, trace, '--format=pprof', f'--top={most}', f'--output={path}')
            with open(path, 'rb') as file:
                packed = file.read()
            if len(gzip.decompress(packed)) <= MOST_BYTES or most == 1:
                return packed
            most //= 2


def request(command, trace):
    """PushRequest of push.v1, in the JSON of protobuf."""
    facts = json.loads(report(command, trace, '--format=json'))
    app = facts.get('app', {})
    labels = {'__name__': 'process_cpu', 'service_name': app.get('id') or facts['process'] or 'unknown',
              **{LABELS[key]: str(value) for key, value in app.items() if key in LABELS}}
    return {'series': [{
        'labels': [{'name': name, 'value': value} for name, value in sorted(labels.items())],
        'samples': [{'rawProfile': base64.b64encode(profile(command, trace)).decode(), 'ID': str(uuid.uuid4())}]}]}


def push(url, tenant, body):
    headers = {'Content-Type': 'application/json', **({'X-Scope-OrgID': tenant} if tenant else {})}
    with urllib.request.urlopen(urllib.request.Request(f'{url}/push.v1.PusherService/Push', body, headers), timeout=60):
        pass  # what is refused raises


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--methodbeat', default='methodbeat')
    parser.add_argument('--method-map')
    parser.add_argument('--url')
    parser.add_argument('--tenant')
    parser.add_argument('--write')
    parser.add_argument('traces', nargs='+')
    wanted = parser.parse_args()
    if (wanted.url is None) == (wanted.write is None):
        parser.error('one of --url and --write is needed')
    command = [wanted.methodbeat, 'report', *([f'--method-map={wanted.method_map}'] if wanted.method_map else [])]
    for trace in wanted.traces:
        body = json.dumps(request(command, trace)).encode()
        if wanted.url:
            push(wanted.url.rstrip('/'), wanted.tenant, body)
        else:
            with open(os.path.join(wanted.write, os.path.basename(trace) + '.json'), 'wb') as file:
                file.write(body)


if __name__ == '__main__':
    try:
        main()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f'pyroscope.py: {error}')
