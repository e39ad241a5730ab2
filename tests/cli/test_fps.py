#!/usr/bin/env python3
"""methodbeat fps: what a device printed, and a device that prints.

usage: test_fps.py METHODBEAT
"""
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import adb_server
from checks import Bench, check, run_all

METHODBEAT = sys.argv[1]
FAKE = pathlib.Path(__file__).resolve().with_name('fake_adb.py')
PENDING = 9223372036854775807
PACKAGE = 'com.acme.app'
WINDOW = f'{PACKAGE}/{PACKAGE}.Main'
COLUMNS = {
    'of 10': 'Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,'
             'PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,'
             'FrameCompleted,DequeueBufferDuration,QueueBufferDuration,',
    'of 11': 'Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,'
             'PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,'
             'FrameCompleted,DequeueBufferDuration,QueueBufferDuration,GpuCompleted,',
    'of 13': 'Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,'
             'PerformTraversalsStart,DrawStart,FrameDeadline,FrameInterval,FrameStartTime,SyncQueued,'
             'SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,DequeueBufferDuration,'
             'QueueBufferDuration,GpuCompleted,SwapBuffersCompleted,DisplayPresentTime,'
             'CommandSubmissionCompleted,',
    'of 16': 'Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,'
             'PerformTraversalsStart,DrawStart,FrameDeadline,FrameStartTime,FrameInterval,WorkloadTarget,'
             'SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,'
             'DequeueBufferDuration,QueueBufferDuration,GpuCompleted,SwapBuffersCompleted,'
             'DisplayPresentTime,CommandSubmissionCompleted,',
}


# Rows as phones printed them: labels of Android 13, and values in the order of its enumeration.
REAL_60 = """\
1,64589,268728651013,268795266325,0,268809920104,268809923698,268809924740,268884831406,268745317679,\
268809780365,16653828,268885240573,268885313750,268885367969,268885804010,268887281771,214219,844323,\
268887281771,268886773385,268910865365,268885804010,
0,65082,268895186527,268895186527,0,268896099740,268896103906,268896104896,268896613854,268911853193,\
268896062292,16653763,268896761406,268896798854,268896832708,268897222240,268898179479,223490,264427,\
268898179479,268897584115,268927519426,268897222240,
0,-1,268920843750,268920857760,0,268920887500,268920892865,268920893646,268921543281,9223372036854775807,\
268920857760,16653763,268921817813,268921885885,268921919375,268922467917,268923149063,318438,255781,\
268923149063,268922985260,-2,268922467917,
0,163337,420886623488,420886623488,0,420887043067,420887044057,420887286661,420887340202,420919947150,\
420887011869,16656996,420887507025,420887602755,420887717963,420895123536,420896558171,5765521,177917,\
420896558171,420895514838,420935605722,420895123536,
0,163366,420903279118,420903279118,0,420903760150,420903761452,420904027755,420904080515,420936602708,\
420903731296,16656924,420904251348,420904342650,420904468275,420911553275,420913378171,5680885,178333,\
420913378171,420911934994,420952261556,420911553275,
0,163395,420919934778,420919934778,0,420920255202,420920255932,420920481609,420920514473,420953258304,\
420920236505,16656860,420920621036,420920665411,420920732911,420926223484,420928372130,4352864,140260,\
420928372130,420926523484,420968918327,420926223484,
"""
REAL_90 = '1,3323,993103720308,993103720308,0,993103921638,993103922419,993103923096,993185780292,' \
          '993124220308,993103919554,11111111,'


class Devices(Bench):
    def device(self, **parts):
        """An environment with that device behind adb, and its log."""
        folder = self.folder / 'device'
        folder.mkdir(exist_ok=True)
        device = {'folder': str(folder), 'hz': 60, 'each': [1], 'step_ms': 900,
                  'layers': [f'{WINDOW}#1'], 'shows': f'{WINDOW}#1', **parts}
        return {**with_adb(self.folder / 'bin', FAKE), 'FAKE_ADB': json.dumps(device)}

    def asked(self):
        return [json.loads(line) for line in
                (self.folder / 'device' / 'asked').read_text(encoding='utf-8').splitlines()]


def with_adb(folder, adb):
    """An environment whose PATH finds this adb first."""
    folder.mkdir(exist_ok=True)
    if not (folder / 'adb').is_symlink():
        (folder / 'adb').symlink_to(adb)
    return {**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'}


def run(*arguments, env=None):
    return subprocess.run([METHODBEAT, 'fps', *map(str, arguments)], capture_output=True,
                          stdin=subprocess.DEVNULL, env=env, timeout=100)


def watch(bench, *arguments, **parts):
    return run('--interval', 50, '--duration', 1, *arguments, env=bench.device(**parts))


def figures(what, *arguments, done=None):
    done = done or run('--format', 'json', *arguments)
    check(f'{what}: ends well', done.returncode == 0, done.stderr.decode())
    return json.loads(done.stdout) if done.returncode == 0 else {}


def latency(period, times):
    rows = ''.join(f'{at - period}\t{at}\t{at - 1}\n' for at in times)
    return f'{period}\n{rows}\n'


def polls(bench, period, times):
    """A ring of 127 rows, looked at each 60 frames."""
    folder = bench.folder / 'polls'
    folder.mkdir()
    for end in range(60, len(times) + 60, 60):
        (folder / f'{end:06}.txt').write_text(latency(period, times[max(0, end - 127):end]))
    return folder


def near(value, wanted):
    return abs(value - wanted) <= wanted / 100


def test_steady_rates(bench):
    for hz, slots in ((60, 1), (90, 1), (120, 1), (240, 1), (120, 4), (60, 2)):
        period = round(1e9 / hz)
        times = [10 ** 9 + i * period * slots for i in range(600)]
        folder = polls(bench, period, times)
        found = figures(f'{hz} Hz, each {slots}', folder)
        check(f'{hz} Hz, each {slots}: fps', near(found['fps'], hz / slots), found['fps'])
        check(f'{hz} Hz, each {slots}: nothing late', found['late'] + found['jank'] < 5, found)
        check(f'{hz} Hz, each {slots}: all frames, once', found['frames'] == 599, found['frames'])
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


def test_a_display_that_changes_its_rate(bench):
    at, times = 10 ** 9, []
    parts = []
    for hz in (60, 120, 90):
        period = round(1e9 / hz)
        times = []
        for _ in range(120):
            times.append(at)
            at += period
        parts.append(bench.file(f'{hz}.txt', latency(period, times)))
    found = figures('changing', *parts)
    check('changing: fps', near(found['fps'], 359 / (120 / 60 + 120 / 120 + 119 / 90)), found['fps'])
    check('changing: seconds', {round(s['refresh']) for s in found['seconds']} >= {60, 120}, found)


def test_jank_is_that_of_the_generator(bench):
    period = round(1e9 / 60)
    at, times, janks, bigs = 10 ** 9, [], 0, 0
    for i in range(900):
        times.append(at)
        slots = {100: 6, 200: 8, 300: 5, 400: 30, 500: 61}.get(i, 1)
        janks += 5 < slots < 60
        bigs += 7 < slots < 60
        at += slots * period
    found = figures('jank', polls(bench, period, times))
    check('jank: count', (found['jank'], found['big_jank']) == (janks, bigs), found)
    check('jank: what takes a second is a rest', found['frames'] == 898, found['frames'])
    check('jank: longest', abs(found['longest_ns'] - 30 * period) < 10, found['longest_ns'])
    check('jank: late', found['late'] == 4, found['late'])


def test_rows_that_are_not_there_yet(bench):
    period = round(1e9 / 60)
    times = [10 ** 9 + i * period for i in range(60)]
    text = latency(period, times).rstrip('\n')
    text = text.replace(f'{period}\n', f'{period}\n' + '0\t0\t0\n' * 5, 1)
    text += f'\n{times[-1]}\t{PENDING}\t{times[-1] + 5}\n{times[-1]}\t{PENDING}\t{PENDING}\n\n'
    found = figures('pending', bench.file('pending.txt', text))
    check('pending: left out', found['frames'] == 59, found['frames'])


def test_two_layers_of_one_name(bench):
    period = round(1e9 / 60)
    old = latency(period, [10 ** 8 + i * period * 2 for i in range(30)])
    new = latency(period, [10 ** 9 + i * period for i in range(30)])
    found = figures('two', bench.file('two.txt', old + new[len(f'{period}\n'):]))
    check('two: the newer one', near(found['fps'], 60) and found['frames'] == 29, found)


def test_polls_that_came_too_late_are_said(bench):
    period = round(1e9 / 60)
    files = [bench.file(f'{i}.txt', latency(period, [10 ** 9 + (i * 300 + j) * period for j in range(127)]))
             for i in range(3)]
    found = figures('late polls', *files)
    check('late polls: counted', found['lost_polls'] == 2 and near(found['fps'], 60), found)
    done = run(*files)
    check('late polls: said', b'ask more often' in done.stdout, done.stdout)


def test_a_device_that_started_again(bench):
    period = round(1e9 / 60)
    files = [bench.file(f'{i}.txt', latency(period, [start + j * period for j in range(100)]))
             for i, start in enumerate((10 ** 13, 10 ** 9))]
    found = figures('reboot', *files)
    check('reboot: both runs', near(found['fps'], 60) and found['frames'] == 198, found)
    check('reboot: time goes on', [s['second'] for s in found['seconds']] == [0, 1, 2, 3] and
          near(found['wall_ns'], 198 * period), found)


def test_files_of_any_encoding(bench):
    period = round(1e9 / 60)
    text = latency(period, [10 ** 9 + i * period for i in range(100)])
    wanted = run('--format', 'json', bench.file('plain.txt', text)).stdout
    for name, content in (('crlf', text.replace('\n', '\r\n').encode()),
                          ('utf16', text.encode('utf-16')),
                          ('utf16be', b'\xfe\xff' + text.replace('\n', '\r\n').encode('utf-16-be')),
                          ('bom', b'\xef\xbb\xbf' + text.encode())):
        done = run('--format', 'json', bench.file(f'{name}.txt', content))
        check(f'{name}: the same', done.stdout == wanted, done.stdout + done.stderr)


def frame_row(columns, at, work, flags=0, interval=16666667):
    """A frame at its vsync: input 1 ms, animation 1, traversal 2, drawing the rest of work, then 4 ms more."""
    ms = 10 ** 6
    values = {'Flags': flags, 'FrameTimelineVsyncId': -1, 'IntendedVsync': at, 'Vsync': at,
              'OldestInputEvent': PENDING, 'HandleInputStart': at + ms // 2, 'AnimationStart': at + ms,
              'PerformTraversalsStart': at + 2 * ms, 'DrawStart': at + 3 * ms,
              'SyncQueued': at + work, 'SyncStart': at + work, 'IssueDrawCommandsStart': at + work + ms,
              'SwapBuffers': at + work + 3 * ms, 'FrameCompleted': at + work + 4 * ms,
              'FrameDeadline': at + 16 * ms, 'FrameInterval': interval, 'FrameStartTime': at + ms // 4,
              'GpuCompleted': at + work + 4 * ms, 'DisplayPresentTime': 0}
    if columns == COLUMNS['of 13']:  # its labels are not in the order of its values
        values['FrameInterval'], values['FrameStartTime'] = values['FrameStartTime'], interval
    return ''.join(f'{values.get(name, 0)},' for name in columns.rstrip(',').split(','))


def framestats(columns, rows):
    table = '\n'.join(('---PROFILEDATA---', columns, *rows, '---PROFILEDATA---'))
    return (f'Applications Graphics Acceleration Info:\nUptime: 1 Realtime: 1\n\n** Graphics info for pid 7 '
            f'[{PACKAGE}] **\n\nTotal frames rendered: {len(rows)}\nJanky frames: 2 (4.00%)\n'
            f'HISTOGRAM: 5ms=1 6ms=2\n\n{WINDOW}\n{table}\n\nView hierarchy:\n')


def test_stages_of_frames_with_all_sets_of_columns(bench):
    for name, columns in COLUMNS.items():
        rows = [frame_row(columns, 10 ** 9 + i * 16666667, 5 * 10 ** 6) for i in range(100)]
        rows[3] = frame_row(columns, 10 ** 9 + 3 * 16666667, 5 * 10 ** 6, flags=1)
        found = figures(name, bench.file('frames.txt', framestats(columns, rows)))
        check(f'{name}: fps', near(found['fps'], 60), found)
        check(f'{name}: outliers', found['outliers'] == 1 and found['frames'] == 99, found)
        check(f'{name}: source', found['source'] == 'gfxinfo', found['source'])


def test_rows_of_real_phones(bench):
    columns = COLUMNS['of 13']
    found = figures('a phone', bench.file('60.txt', framestats(columns, REAL_60.splitlines())))
    check('a phone: rates', {round(second['refresh'], 1) for second in found['seconds']} <= {60.0, 60.1}, found)
    check('a phone: lengths', (found['frames'], found['outliers']) == (5, 1) and
          found['p50_ns'] in range(16653763, 16656997), found)
    last = REAL_90.split(',')[2:12]
    later = [int(value) + 4 * 11111111 for value in last[:9]]
    row = ','.join(map(str, [0, 3327, *later, 11111111, *[later[6] + i * 10 ** 5 for i in range(1, 6)],
                             0, 0, later[6] + 10 ** 6, later[6] + 10 ** 6, 0, 0]))
    found = figures('90 Hz', bench.file('90.txt', framestats(columns, [row])))
    check('90 Hz: by value', [round(second['refresh']) for second in found['seconds']] == [90], found)


def test_each_second_vsync_of_120_hz_is_missed(bench):
    interval = 8333333
    for name in ('of 13', 'of 16'):
        rows = [frame_row(COLUMNS[name], 10 ** 9 + i * 2 * interval, 10 * 10 ** 6, interval=interval)
                for i in range(100)]
        found = figures(f'120 Hz {name}', bench.file('120.txt', framestats(COLUMNS[name], rows)))
        check(f'120 Hz {name}: late', near(found['fps'], 60) and found['late'] == 100, found)


def test_the_rate_of_a_display_that_rows_do_not_tell(bench):
    for hz in (60, 90, 120):
        interval = round(1e9 / hz)
        rows = [frame_row(COLUMNS['of 11'], 10 ** 9 + i * interval, 3 * 10 ** 6) for i in range(100)]
        found = figures(f'{hz} Hz of 11', bench.file('old.txt', framestats(COLUMNS['of 11'], rows)))
        check(f'{hz} Hz of 11: fps', near(found['fps'], hz) and found['late'] == 0, found)


def test_what_is_left_out_counts_once(bench):
    columns = COLUMNS['of 13']
    rows = [frame_row(columns, 10 ** 9 + i * 16666667, 5 * 10 ** 6, flags=i // 9) for i in range(10)]
    poll = bench.file('frames.txt', framestats(columns, rows))
    found = figures('polled again', poll, poll, poll)
    check('polled again: left out once', (found['outliers'], found['frames']) == (1, 9), found)


def test_work_of_25_ms_is_40_frames(bench):
    columns, rows, at, free = COLUMNS['of 13'], [], 10 ** 9, 0
    interval, work = 16666667, 25 * 10 ** 6
    for _ in range(200):
        begin = max(at, free)
        late = begin - at
        vsync = begin - late % interval if late >= interval else at
        row = frame_row(columns, begin, work).split(',')
        names = columns.split(',')
        row[names.index('IntendedVsync')], row[names.index('Vsync')] = str(at), str(vsync)
        rows.append(','.join(row))
        free = begin + work
        at += interval * (late // interval + 1)
    found = figures('25 ms', bench.file('frames.txt', framestats(columns, rows)))
    check('25 ms: fps', near(found['fps'], 40), found['fps'])


def test_summaries_only(bench):
    text = 'Total frames rendered: 120\nJanky frames: 5 (4.17%)\n'
    done = run(bench.file('summary.txt', text))
    check('summary: told', done.returncode == 0 and b'120 frames, 5 janky' in done.stdout,
          done.stdout + done.stderr)


def timestats(*layers):
    text = 'SurfaceFlinger TimeStats:\nstatsStart = 1\nstatsEnd = 2\ntotalFrames = 9999\nmissedFrames = 1\n\n'
    for name, package, frames in layers:
        text += (f'displayRefreshRate = 60 fps\nrenderRate = 60 fps\n\nuid = 10123\nlayerName = {name}\n'
                 f'packageName = {package}\ntotalFrames = {frames}\ndroppedFrames = 2\n'
                 'Jank payload for this layer:\njankyFrames = 7\naverageFPS = 58.123\n'
                 'present2present histogram is as below:\n'
                 f'0ms=0 1ms=0 16ms={frames - 10} 17ms=5 33ms=3 50ms=2 1000ms=0\n'
                 'latch2present histogram is as below:\n0ms=0 16ms=1\n\n')
    return text


def test_sums_of_layers(bench):
    text = timestats(('StatusBar#0', 'com.android.systemui', 900), (f'{WINDOW}#7', PACKAGE, 500),
                     ('SurfaceView[x](BLAST)#9', PACKAGE, 300))
    path = bench.file('sums.txt', text)
    found = figures('sums', '--package', PACKAGE, path)['timestats']
    check('sums: the layer', found['layer'] == f'{WINDOW}#7' and found['frames'] == 500, found)
    check('sums: figures', (found['fps_milli'], found['janky'], found['dropped']) == (58123, 7, 2), found)
    done = run('--package', PACKAGE, path)
    check('sums: text', b'% within 16, 16, 16, 17 ms' in done.stdout,
          done.stdout)


def part(frames, fps, histogram):
    return (f'displayRefreshRate = {round(fps)} fps\nrenderRate = {round(fps)} fps\nlayerName = {WINDOW}#7\n'
            f'packageName = {PACKAGE}\ntotalFrames = {frames}\ndroppedFrames = 1\njankyFrames = 2\n'
            f'averageFPS = {fps:.3f}\n{histogram}')


def test_sums_of_a_layer_at_several_rates(bench):
    head = 'SurfaceFlinger TimeStats:\n'
    hist = 'present2present histogram is as below:\n'
    text = (head + part(600, 60, f'{hist}0ms=0 16ms=600 150ms=0\n\n') +
            part(500, 100, f'{hist}0ms=0 8ms=470 150ms=30\n\n'))
    found = figures('rates', '--package', PACKAGE, bench.file('rates.txt', text))['timestats']
    check('rates: all frames', (found['frames'], found['dropped'], found['janky']) == (1100, 2, 4), found)
    check('rates: all lengths', found['histogram_ms'] == [[8, 470], [16, 600], [150, 30]], found)
    check('rates: on average', found['fps_milli'] == 1100 * 10 ** 3 // 15, found)
    path = bench.file('bare.txt', head + part(600, 60, ''))
    done = run('--package', PACKAGE, path)
    check('no histogram: no lengths', done.returncode == 0 and b'60.0 on average' in done.stdout and
          b'lengths' not in done.stdout, done.stdout)


def test_an_app_that_does_not_run(bench):
    done = run(bench.file('none.txt', f'No process found for: {PACKAGE}\n'))
    check('no process: said', done.returncode == 1 and b'the app did not run' in done.stderr, done.stderr)
    done = watch(bench, '--package', PACKAGE, shows='none', known=[f'{WINDOW}#1'],
                 gfxinfo=f'Applications Graphics Acceleration Info:\n\nNo process found for: {PACKAGE}\n')
    check('no process: named', done.returncode == 1 and f'{PACKAGE} does not run'.encode() in done.stderr,
          done.stderr)


def test_a_folder_with_a_pipe_in_it(bench):
    folder = bench.folder / 'mixed'
    folder.mkdir()
    os.mkfifo(folder / 'pipe')
    done = run(folder)
    check('pipe: named', done.returncode == 1 and b'mixed/pipe: not a regular file' in done.stderr, done.stderr)


def test_what_is_wrong_has_a_file_and_a_line(bench):
    columns = COLUMNS['of 13']
    for name, text, line, word in (
            ('empty', '', 1, 'empty'),
            ('words', 'hello\n', 1, 'time between'),
            ('zero', '0\n', 1, 'time between'),
            ('row', '16666667\n1\t2\t3\n1\t2\n', 3, 'three times'),
            ('four', '16666667\n1\t2\t3\t4\n', 2, 'more than three'),
            ('sign', '16666667\n1\t-2\t3\n', 2, 'three times'),
            ('huge', '16666667\n1\t99999999999999999999\t3\n', 2, 'three times'),
            ('many', '16666667\n' + '1\t2\t3\n' * 2000, 1026, 'more rows'),
            ('column', '---PROFILEDATA---\nFlags,Vsync,\n', 2, 'IntendedVsync'),
            ('cell', f'---PROFILEDATA---\n{columns}\n0,x,\n', 3, 'not a number'),
            ('short', f'---PROFILEDATA---\n{columns}\n0,1,2,\n', 3, 'ends before'),
            ('histogram', 'layerName = a\npresent2present histogram is as below:\n16ms\n', 3, 'histogram'),
            ('cut', 'layerName = a\npresent2present histogram is as below:\n', 2, 'missing'),
            ('total', 'layerName = a\ntotalFrames = -5\n', 2, 'number of frames')):
        path = bench.file(f'{name}.txt', text)
        done = run(path)
        shown = done.stderr.decode()
        check(f'{name}: fails', done.returncode == 1, shown)
        check(f'{name}: says where and what', f'{path}:{line}: ' in shown and word in shown, shown)
    done = run(bench.folder / 'nothing')
    check('nothing: named', done.returncode == 1 and str(bench.folder / 'nothing') in done.stderr.decode())
    done = run(bench.file('idle.txt', '16666667\n' + '0\t0\t0\n' * 127 + '\n'))
    check('idle: said', done.returncode == 1 and b'idle.txt: no frames' in done.stderr, done.stderr)


def test_formats_and_colours(bench):
    period = round(1e9 / 60)
    path = bench.file('a.txt', latency(period, [10 ** 9 + i * period for i in range(127)]))
    rows = list(csv.DictReader(io.StringIO(run('--format', 'csv', path).stdout.decode())))
    check('csv: seconds', [row['second'] for row in rows] == ['0', '1', '2'], rows)
    check('csv: fps', float(rows[0]['fps']) == 60 and rows[0]['frames'] == '60', rows[0])
    text = run(path).stdout.decode()
    check('text: 80 columns', max(map(len, text.splitlines())) <= 80, text)
    check('text: no blanks at ends', all(line == line.rstrip() for line in text.splitlines()), text)
    check('text: no colour', '\033' not in text)
    check('text: colour', '\033[32m' in run(path, env={**os.environ, 'CLICOLOR_FORCE': '1'}).stdout.decode())
    check('text: the same each time', run(path).stdout.decode() == text)


def test_usage(bench):
    for arguments, word in (((), '--package or --layer'), (('--source', 'x', 'a'), 'latency'),
                            (('--interval', '1', 'a'), '50'), (('--save', 'x', 'a'), 'for a device')):
        done = run(*arguments)
        check(f'{arguments}: usage', done.returncode == 2 and word in done.stderr.decode(), done.stderr)
    del bench


# ---- A device ----

def test_a_device_is_watched_and_what_it_said_is_read_again(bench):
    saved = bench.folder / 'saved'
    live = watch(bench, '--package', PACKAGE, '--save', saved, each=[1] * 50 + [8])
    check('device: ends well', live.returncode == 0, live.stderr)
    check('device: the layer is said', f'layer {WINDOW}#1' in live.stderr.decode(), live.stderr)
    check('device: lines', live.stdout.count(b' fps ') > 1, live.stdout)
    again = run('--package', PACKAGE, saved)
    check('device: saved is live, byte for byte', again.stdout == live.stdout,
          again.stdout + again.stderr + live.stdout)
    found = figures('device', '--package', PACKAGE, saved)
    check('device: nothing lost', found['lost_polls'] == 0, found)
    check('device: jank', found['jank'] == found['big_jank'] > 0, found)


def test_old_line_ends(bench):
    live = watch(bench, '--package', PACKAGE, '--format', 'json', crlf=True)
    found = figures('crlf device', done=live)
    check('crlf device: fps', near(found['fps'], 60), found)


NEW_LIST = [
    f'RequestedLayerState{{ff5d6b3 ActivityRecordInputSink {WINDOW}#28994 parentId=28983 z=-2147483648}}',
    f'RequestedLayerState{{ActivityRecord{{5e6ac22 u0 {WINDOW} t329 mVisible=false d0}} '
    'boundsRect(0, 0 - 1200, 2664)}#28983 parentId=28965}',
    f'RequestedLayerState{{54dfae7 {WINDOW}#28989 parentId=28983}}',
    f'RequestedLayerState{{{WINDOW}#29149 parentId=28989}}',
    'RequestedLayerState{StatusBar#77 parentId=3 relativeParentId=4294967295 z=1 layerStack=0 !handle}',
]


def test_the_layer_with_frames_is_found(bench):
    surface = f'SurfaceView[{WINDOW}](BLAST)#9'
    plain = f'SurfaceView[{WINDOW}]#8'
    odd = f"{PACKAGE}/a 'b' \"c\" $HOME `id` {{x}} (y) ; exit 3 \\n & | < > #5"
    for what, layers, shows in (
            ('blast', [f'Background for {surface}', f'Bounds for - {WINDOW}#3', plain, surface, f'{WINDOW}#1'],
             surface),
            ('new', NEW_LIST, f'{WINDOW}#29149'),
            ('new, hex in front', NEW_LIST, f'54dfae7 {WINDOW}#28989'),
            ('odd', [f'{WINDOW}#1', odd], odd)):
        done = watch(bench, '--package', PACKAGE, layers=layers, shows=shows,
                     known=[surface, plain, f'{WINDOW}#1', f'{WINDOW}#29149', f'54dfae7 {WINDOW}#28989', odd])
        check(f'{what}: found', done.returncode == 0 and f'layer {shows}' in done.stderr.decode(),
              done.stderr)
        done = watch(bench, '--layer', shows, layers=layers, shows=shows)
        check(f'{what}: as it is named', done.returncode == 0, done.stderr)
    asked = [words for words in bench.asked() if 'ActivityRecordInputSink' in ' '.join(words)]
    check('containers are not asked', not asked, asked)


def test_other_sources_stand_in(bench):
    sums = timestats((f'{WINDOW}#7', PACKAGE, 500))
    done = watch(bench, '--package', PACKAGE, shows='none', known=[f'{WINDOW}#1'], timestats=sums)
    check('timestats: stand in', done.returncode == 0 and b'58.1 on average' in done.stdout,
          done.stdout + done.stderr)
    check('timestats: said', b'no frames from latency' in done.stderr and b'source timestats' in done.stderr,
          done.stderr)
    asked = [' '.join(words) for words in bench.asked()]
    check('timestats: on, and off again', any('-enable' in words for words in asked)
          and '-disable' in asked[-1], asked[-3:])
    columns = COLUMNS['of 16']
    rows = [frame_row(columns, 10 ** 9 + i * 16666667, 5 * 10 ** 6) for i in range(100)]
    done = watch(bench, '--package', PACKAGE, '--format', 'json', shows='none', known=[f'{WINDOW}#1'],
                 timestats='SurfaceFlinger TimeStats:\n', gfxinfo=framestats(columns, rows))
    found = figures('gfxinfo', done=done)
    check('gfxinfo: stands in', found.get('source') in ('gfxinfo', 'mixed') and near(found['fps'], 60), found)
    check('gfxinfo: said', b'no frames from timestats' in done.stderr, done.stderr)
    for unknown in ('', 'Build configuration: [sf]\nLayer 0x1 (StatusBar)\n'):
        done = watch(bench, '--package', PACKAGE, '--format', 'json', shows='none', known=[f'{WINDOW}#1'],
                     timestats=unknown, gfxinfo=framestats(columns, rows))
        found = figures('no timestats', done=done)
        check('no timestats: gfxinfo', found.get('source') == 'gfxinfo' and near(found['fps'], 60), found)
    done = watch(bench, '--package', PACKAGE, '--source', 'latency', shows='none')
    check('latency alone: fails', done.returncode == 1 and b'no layer of' in done.stderr, done.stderr)


def test_a_device_that_cannot_be_asked(bench):
    for words in ('adb: no devices/emulators found', 'adb: more than one device/emulator',
                  'error: device unauthorized.'):
        done = watch(bench, '--package', PACKAGE, dead=words)
        check(f'{words}: said', done.returncode == 1 and words in done.stderr.decode(), done.stderr)
    done = run('--package', PACKAGE, '--duration', 1, env={**os.environ, 'PATH': str(bench.folder)})
    check('no adb: said', done.returncode == 1 and b'adb: cannot be started' in done.stderr, done.stderr)


def test_the_real_adb(bench):
    adb = shutil.which('adb')
    version = adb_server.version_of(adb) if adb else None
    if version is None:
        print('skipped: there is no adb')
        return
    odd = f"{PACKAGE}/a 'b' \"c\" $HOME `id` {{x}} (y) ; exit 3 \\n & | < > #5"
    for features in ('shell_v2,cmd', ''):
        env = bench.device(layers=[f'{WINDOW}#1', odd], shows=odd, known=[f'{WINDOW}#1', odd], crlf=not features)
        server = adb_server.Server(version, FAKE, features, env)
        done = run('--interval', 50, '--duration', 1, '--package', PACKAGE, '--format', 'json',
                   env={**env, 'PATH': os.environ['PATH'], 'ADB_SERVER_SOCKET': server.address})
        server.close()
        found = figures(f'adb, {features}', done=done)
        check(f'adb, {features}: fps', near(found.get('fps', 0), 60), found)
        check(f'adb, {features}: the layer', f'layer {odd}' in done.stderr.decode(), done.stderr)
        kind = 'shell,v2' if features else 'shell:'
        check(f'adb, {features}: its shell', all(s.startswith(kind) for s in server.services),
              server.services)
    server = adb_server.Server(version, None, '', {})
    done = run('--duration', 1, '--package', PACKAGE,
               env={**os.environ, 'ADB_SERVER_SOCKET': server.address})
    server.close()
    check('adb without a device: said', done.returncode == 1 and b'no devices/emulators found' in done.stderr,
          done.stderr)


def test_an_interrupt_ends_it_with_its_summary(bench):
    with subprocess.Popen([METHODBEAT, 'fps', '--package', PACKAGE, '--interval', '50'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=bench.device()) as program:
        program.stdout.readline()
        program.send_signal(signal.SIGINT)
        rest = program.stdout.read()
        code = program.wait(100)
    check('interrupt: ends well', code == 0 and b'while it was drawn' in rest, (code, rest))


def test_an_interrupt_leaves_the_device_as_it_was(bench):
    env = bench.device(timestats=timestats((f'{WINDOW}#7', PACKAGE, 500)))
    with subprocess.Popen([METHODBEAT, 'fps', '--package', PACKAGE, '--interval', '50',
                           '--source', 'timestats'],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env) as program:
        program.stderr.readline()  # the source was found
        program.send_signal(signal.SIGINT)
        code = program.wait(100)
    check('timestats are off again', code == 0 and bench.asked()[-1][-1].endswith('-disable'),
          (code, bench.asked()[-1]))


sys.exit(run_all(globals(), Devices))
