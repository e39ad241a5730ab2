#!/usr/bin/env python3
"""Each question on DuckDB, Spark and ClickHouse, over one lake: equal answers, row by row. Needs pyspark and chdb.

usage: test_engines.py METHODBEAT DUCKDB
"""
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

import chdb.session
import pyspark
from pyspark.sql import SparkSession

from made import Fleet, profiles, write, write_days

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from checks import check, have_failed  # noqa: E402

METHODBEAT, DUCKDB = sys.argv[1:3]
ROOT = pathlib.Path(__file__).parents[2]
# Each question is asked once, of little: to compile it well takes longer than its answer.
SETTINGS = {'spark.ui.enabled': 'false', 'spark.ui.showConsoleProgress': 'false', 'spark.sql.shuffle.partitions': '2',
            'spark.driver.extraJavaOptions': '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC', 'spark.sql.codegen.wholeStage': 'false',
            'spark.sql.codegen.factoryMode': 'NO_CODEGEN'}
QUESTIONS = ('top', 'new', 'rising', 'falling', 'regressed', 'slower', 'later', 'slow', 'flame', 'starts', 'frames', 'who', 'days', 'releases',
             'tree')


def fleet(*words):
    return subprocess.run([METHODBEAT, 'fleet', *map(str, words)], capture_output=True, text=True, check=True).stdout


def statements(question, engine, lake):
    text = fleet('ask', '--sql', engine, question, '--old', '5.1', '--new', '5.2', '--top', 500, lake)
    return [part for part in text.split(';\n') if part.strip()]


def plain(value):
    """As all engines print it: numbers to nine digits, whatever their type."""
    if isinstance(value, bool) or value is None or isinstance(value, str) and not value.lstrip('-').isdigit():
        return value
    if isinstance(value, int) or isinstance(value, str) and abs(int(value)) >= 2 ** 53:
        return int(value) if abs(int(value)) >= 2 ** 53 else float(value)
    if isinstance(value, (float, str)) or hasattr(value, 'quantize'):
        return float(f'{float(value):.9g}')
    return str(value)


def on_duckdb(question, lake):
    rows = json.loads(fleet('ask', question, '--engine-command', DUCKDB, '--old', '5.1', '--new', '5.2', '--top', 500,
                            '--format', 'json', lake))['rows']
    return [[plain(value) for value in row.values()] for row in rows]


def start_spark():
    builder = SparkSession.builder.master('local[2]')
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel('OFF')
    return spark


def on_spark(spark, question, lake):
    for text in statements(question, 'spark', lake):
        answer = spark.sql(text)
    return [[plain(value) for value in row] for row in answer.collect()]


def on_clickhouse(question, lake):
    session = chdb.session.Session()
    try:
        session.query('CREATE DATABASE IF NOT EXISTS lake ENGINE = Atomic')
        session.query('USE lake')
        for text in statements(question, 'clickhouse', lake):
            answer = session.query(text, 'JSONCompactEachRow')
        return [[plain(value) for value in json.loads(line)] for line in str(answer).splitlines()]
    finally:
        session.close()


def compare(engine, question, expected, answer):
    try:
        rows = answer()
    except Exception as failure:  # pylint: disable=broad-except
        check(f'{question} on {engine}', False, str(failure)[:1500])
        return
    odd = [pair for pair in zip(expected, rows) if pair[0] != pair[1]]
    check(f'{question} on {engine}', len(expected) == len(rows) and not odd,
          f'{len(expected)} and {len(rows)} rows; {odd[:2]}')


def compare_all(spark, questions, lake):
    for question in questions:
        expected = on_duckdb(question, lake)
        check(f'{question}: an answer', bool(expected) != (question in ('new', 'falling', 'later') and lake.name == 'lake'),
              expected[:1])
        compare('spark', question, expected, lambda: on_spark(spark, question, lake))  # pylint: disable=W0640
        compare('clickhouse', question, expected, lambda: on_clickhouse(question, lake))  # pylint: disable=W0640


def test_dashboard(lake):
    """Grafana's own types take the dashboard, and ClickHouse its queries, whose answers are those of the command."""
    text = subprocess.run([sys.executable, ROOT / 'samples/fleet/grafana/dashboard.py', METHODBEAT], capture_output=True,
                          text=True, check=True).stdout
    types = pathlib.Path(os.environ['GRAFANA_TYPES'])
    for what, dashboard, holds in ('the dashboard', text, True), ('one without a title', text.replace('"title"', '"titel"'), False):
        source = types / f'{os.getpid()}.ts'  # beside the packages that it names
        source.write_text(f"import type {{ Dashboard }} from '@grafana/schema';\nexport const dashboard: Dashboard = {dashboard};\n")
        done = subprocess.run([types / 'node_modules/.bin/tsc', '--noEmit', '--skipLibCheck', '--moduleResolution', 'node', '--target',
                               'es2020', source], capture_output=True, text=True, check=False)
        source.unlink()
        check(f'types: {what}', (done.returncode == 0) == holds, done.stdout)
    days = (datetime.datetime.now(datetime.timezone.utc).date() - datetime.date(2026, 10, 14)).days
    session = chdb.session.Session()
    for statement in statements('who', 'clickhouse', lake)[:-1]:
        session.query(statement)
    for panel in json.loads(text)['panels']:
        sql = panel['targets'][0]['rawSql'].replace('${old}', '5.1').replace('${new}', '5.2').replace('${app}', 'com.acme')
        sql = sql.replace('today()', f'(today() - {days})')
        rows = [json.loads(line) for line in str(session.query(sql, 'JSONCompactEachRow')).splitlines()]
        expected = len(rows) > 3 if panel['type'] == 'timeseries' else panel['title'] in ('New causes', 'Scenes with more late frames') or rows
        check(f'dashboard: {panel["title"]}', expected, rows)
    session.close()


# ---- Loads by Spark ----

def start_load(folder, uploads, lake, *words):
    """spark-sql over the text, in a folder of its own for what it knows of tables."""
    folder.mkdir(exist_ok=True)
    (folder / 'load.sql').write_text(fleet('load', '--sql', 'spark', *words, '--into', lake, uploads))
    settings = (word for name, value in SETTINGS.items() for word in ('--conf', f'{name}={value}'))
    command = [str(pathlib.Path(pyspark.__file__).parent / 'bin/spark-sql'), '--master', 'local[2]', *settings, '-f', 'load.sql']
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                            env={**os.environ, 'SPARK_HOME': str(pathlib.Path(pyspark.__file__).parent)})


def load_by_spark(*words):
    with start_load(*words) as run:
        said = run.communicate()[0]
        check(f'load by Spark {words[3:]}', run.returncode == 0, said[-1500:])


def rows_that_differ(lake, other):
    """By table: rows of one lake alone. The name of an upload is that of a file here, and of its bytes there."""
    sql = ''
    for table in ('issues', 'sessions', 'sums', 'profiles', 'nodes', 'paths', 'methods'):
        both = [f"SELECT * EXCLUDE (upload) FROM (SELECT NULL AS upload WHERE false UNION ALL BY NAME SELECT * FROM "
                f"read_parquet('{place}/{table}/day=*/*.parquet', union_by_name = true, hive_types_autocast = false))" for place in (lake, other)]
        sql += (f"SELECT '{table}' AS t, (SELECT count(*) FROM ({both[0]})) AS n, (SELECT count(*) FROM ({both[0]} EXCEPT ALL {both[1]})) AS a, "
                f"(SELECT count(*) FROM ({both[1]} EXCEPT ALL {both[0]})) AS b UNION ALL ")
    done = subprocess.run([DUCKDB, '-json', '-c', sql.removesuffix('UNION ALL ')], capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)
    check('rows', all(row['n'] > 30 for row in rows), rows)
    return [row for row in rows if row['a'] or row['b']]


def test_loads(folder, spark):
    """Rows of a lake by Spark are those of one by DuckDB: again, late, twice, damaged, killed, and of the last days."""
    uploads, lake, other = folder / 'rows', folder / 'by-spark', folder / 'by-duckdb'
    write_days(uploads, Fleet(3000, planted={1}))
    write(uploads / 'day=2026-10-14/profiles.ndjson', profiles(60, slower={7}))
    load_by_spark(folder / 'w', uploads, lake)
    fleet('load', uploads, '--into', other, '--engine-command', DUCKDB)
    check('Spark: rows', not rows_that_differ(lake, other), rows_that_differ(lake, other))
    for question in 'top', 'starts', 'flame':
        check(f'Spark: {question}', on_spark(spark, question, lake) == on_duckdb(question, other) != [], on_spark(spark, question, lake))
    shutil.copy(uploads / 'day=2026-10-03/up.ndjson', uploads / 'day=2026-10-03/twice.ndjson')
    shutil.copy(uploads / 'day=2026-10-12/up.ndjson', uploads / 'day=2026-10-13/twice.ndjson')
    write(uploads / 'day=2026-10-13/late.ndjson', ({**row, 'device': 'late'} for row in Fleet(200, seed=2, devices=1)))
    with open(uploads / 'day=2026-10-13/late.ndjson', 'a', encoding='utf-8') as file:
        file.write('{"t":"issues","device":"odd","incident":"o","cost_ms":-5,"busy":"x","ts":99}\n{"t":"issues",\n\n{"t":"x"}\nfalse\n')
    run = start_load(folder / 'w', uploads, lake)
    while run.poll() is None and not list(lake.glob('sums/*/*.parquet.crc')) and not list(lake.glob('sums/.spark*')):
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    for words in ((), ('--days', days_since('2026-10-12'))):
        load_by_spark(folder / 'w', uploads, lake, *words)
        shutil.rmtree(other)
        fleet('load', uploads, '--into', other, '--engine-command', DUCKDB)
        check(f'Spark, again: rows {words}', not rows_that_differ(lake, other), rows_that_differ(lake, other))
    test_loads_by_clickhouse(uploads, other)


def test_loads_by_clickhouse(uploads, lake):
    """Of what test_loads leaves, loaded twice into tables: all answers are those over DuckDB's lake."""
    session = chdb.session.Session()
    session.query('CREATE DATABASE loaded ENGINE = Atomic')
    session.query('USE loaded')
    for _ in range(2):
        for statement in fleet('load', '--sql', 'clickhouse', uploads).split(';\n')[:-1]:
            session.query(statement)
    tables = json.loads(fleet('ask', '--format', 'json', '--engine-command', DUCKDB, '--days', 1000, 'who', lake))['rows']
    counted = str(session.query('SELECT count() FROM sessions', 'TSV')).strip()
    check('ClickHouse: sessions', int(counted) == sum(row['sessions'] for row in tables) > 1000, counted)
    for question in QUESTIONS:
        text = statements(question, 'clickhouse', lake)[-1]
        compare('clickhouse, loaded', question, on_duckdb(question, lake), lambda: [  # pylint: disable=W0640
            [plain(value) for value in json.loads(line)] for line in str(session.query(text, 'JSONCompactEachRow')).splitlines()])
    session.close()


def days_since(day):
    return (datetime.datetime.now(datetime.timezone.utc).date() - datetime.date.fromisoformat(day)).days + 1


def main():
    spark = start_spark()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_days(folder / 'up', Fleet(8000, planted={1, 2}))
        write(folder / 'up/day=2026-10-14/profiles.ndjson', profiles(240, slower={7}))
        lake = folder / 'lake'
        fleet('load', folder / 'up', '--into', lake, '--engine-command', DUCKDB)
        compare_all(spark, QUESTIONS, lake)
        test_dashboard(lake)
        with tarfile.open(pathlib.Path(__file__).with_name('old_lake.tar.xz')) as tar:
            tar.extractall(folder)
        compare_all(spark, ('starts', 'slower', 'frames', 'later'), folder / 'old_lake')
        test_loads(folder, spark)
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
