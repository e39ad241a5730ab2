#!/usr/bin/env python3
"""As much of docker as samples/container asks for: images are made by the lines of a Containerfile over this machine's own
files, and containers are mounts, processes and a root of their own. Our sources and the machine's /tmp are not in them.

usage: docker.py build|run|exec|inspect ..., with MB_IMAGES, a folder for what it keeps
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.realpath(__file__)
KEPT = os.environ.get('MB_IMAGES', '')
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


def kept(name, *parts):
    return os.path.join(KEPT, name, *parts)


def note(name, **what):
    os.makedirs(kept(name), exist_ok=True)
    with open(kept(name, 'note.json'), 'w', encoding='utf-8') as file:
        json.dump(what, file)


def noted(name):
    with open(kept(name, 'note.json'), encoding='utf-8') as file:
        return json.load(file)


def build(words):
    """Each line of the file is one that is known here."""
    image = {'environment': {'PATH': PATH}, 'folder': '/', 'command': []}
    shutil.rmtree(kept(words.tag), ignore_errors=True)
    with open(words.file, encoding='utf-8') as file:
        lines = [line.split(maxsplit=1) for line in file if line.strip() and not line.startswith('#')]
    for name, rest in lines:
        rest = rest.strip()
        if name == 'COPY':
            source, target = rest.split()
            place = kept(words.tag, 'files', target.lstrip('/'))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            source = os.path.join(words.context, source)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, place)
        elif name == 'ENV':
            key, value = rest.split('=', 1)
            image['environment'][key] = value.replace('$' + key, image['environment'].get(key, ''))
        elif name == 'WORKDIR':
            image['folder'] = rest
        elif name == 'CMD':
            image['command'] = json.loads(rest)
        elif name not in ('ARG', 'FROM'):
            raise SystemExit(f'{words.file}: {name}: not known here')
    note(words.tag, **image)


SET_UP = r'''
kept=$1; files=$2; hidden=$3; volume=$4; inner=$5; folder=$6; shift 6
mount --make-rprivate / && mount -t tmpfs none "$kept" && mkdir "$kept/upper" "$kept/work" "$kept/root" "$kept/volume"
[ -z "$volume" ] || mount --bind "$volume" "$kept/volume"
cp -a "$files/." "$kept/upper/" 2>/dev/null
mkdir -p "$kept/upper/$inner"
mount -t overlay -o "lowerdir=/,upperdir=$kept/upper,workdir=$kept/work" overlay "$kept/root" || exit 99
cd "$kept/root" && mount -t tmpfs -o mode=755 none "./$hidden" && mount -t tmpfs -o mode=1777 none ./tmp
mount -t proc proc ./proc && mount --rbind /dev ./dev && mount -t sysfs -o ro sysfs ./sys 2>/dev/null
[ -z "$volume" ] || mount --bind "$kept/volume" "./$inner"
exec chroot . sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
'''


def environment_of(image):
    return ('env', '-i', *(f'{key}={value}' for key, value in image['environment'].items()))


def run(words):
    image, name = noted(words.image), f'container-{words.name or os.getpid()}'
    mounts = kept(name, 'mounts')
    os.makedirs(mounts)
    # The folder that our sources are in, from the root.
    hidden = '/' + HERE.split('/')[1]
    volume, inner = words.volume.split(':') if words.volume else ('', '')
    if volume:
        os.makedirs(volume, exist_ok=True)
    command = ('unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', SET_UP, 'sh', mounts,
               kept(words.image, 'files'), hidden, volume, inner, image['folder'],
               *environment_of(image), *(words.command or image['command']))
    if not words.detach:
        raise SystemExit(subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode)
    with open(kept(name, 'log'), 'wb') as log:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    children = f'/proc/{child.pid}/task/{child.pid}/children'
    for _ in range(200):
        time.sleep(0.05)
        with open(children, encoding='ascii') as file:
            inner_pids = file.read().split()
        if inner_pids and os.readlink(f'/proc/{inner_pids[0]}/root') != '/':
            note(name, image=words.image, pid=int(inner_pids[0]), outer=child.pid)
            return
    raise SystemExit(f'{name}: it does not start')


def enter(words):
    container = noted(f'container-{words.name}')
    target = ('nsenter', '--target', str(container['pid']), '--mount', '--pid', '--root', '--wd')
    raise SystemExit(subprocess.run((*target, *environment_of(noted(container['image'])), *words.command),
                                    check=False).returncode)


def inspect(words):
    print(noted(f'container-{words.name}')['pid'])


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    made = commands.add_parser('build')
    made.add_argument('--tag')
    made.add_argument('--file')
    made.add_argument('context')
    made.set_defaults(act=build)
    started = commands.add_parser('run')
    started.add_argument('--detach', action='store_true')
    started.add_argument('--name')
    started.add_argument('--volume')
    started.add_argument('image')
    started.add_argument('command', nargs=argparse.REMAINDER)
    started.set_defaults(act=run)
    entered = commands.add_parser('exec')
    entered.add_argument('name')
    entered.add_argument('command', nargs=argparse.REMAINDER)
    entered.set_defaults(act=enter)
    seen = commands.add_parser('inspect')
    seen.add_argument('--format', choices=['{{.State.Pid}}'])
    seen.add_argument('name')
    seen.set_defaults(act=inspect)
    words = parser.parse_args()
    words.act(words)


sys.exit(main())
