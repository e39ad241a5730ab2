#!/usr/bin/env python3
"""Each question on DuckDB, Spark and ClickHouse, over one lake: equal answers, row by row. Needs pyspark and chdb.

usage: test_engines.py METHODBEAT DUCKDB
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import chdb.session
from pyspark.sql import SparkSession

from made import Fleet, profiles, write, write_days

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from checks import check, have_failed  # noqa: E402

METHODBEAT, DUCKDB = sys.argv[1:3]
QUESTIONS = ('top', 'new', 'rising', 'falling', 'regressed', 'slower', 'later', 'flame', 'starts', 'frames', 'who', 'days', 'releases',
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
    spark = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').config(
        'spark.sql.shuffle.partitions', '2').getOrCreate()
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


def main():
    spark = start_spark()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_days(folder / 'up', Fleet(20000, planted={1, 2}))
        write(folder / 'up/day=2026-10-14/profiles.ndjson', profiles(240, slower={7}))
        lake = folder / 'lake'
        fleet('load', folder / 'up', '--into', lake, '--engine-command', DUCKDB)
        compare_all(spark, QUESTIONS, lake)
        with tarfile.open(pathlib.Path(__file__).with_name('old_lake.tar.xz')) as tar:
            tar.extractall(folder)
        compare_all(spark, ('starts', 'slower', 'frames', 'later'), folder / 'old_lake')
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
