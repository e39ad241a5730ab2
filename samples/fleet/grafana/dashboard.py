#!/usr/bin/env python3
"""Make a dashboard of Grafana, for its data source of ClickHouse, of the questions about a fleet: import what this prints.
The tables of the lake are there as views, by `methodbeat fleet ask --sql clickhouse QUESTION LAKE`.

usage: dashboard.py [METHODBEAT] >dashboard.json
"""
import datetime
import json
import re
import subprocess
import sys

SOURCE = {'type': 'grafana-clickhouse-datasource', 'uid': '${source}'}
TABLE = 1  # as the data source numbers what becomes of rows
PANELS = [('days', 'timeseries', 'Issues of a thousand sessions, by release'), ('new', 'table', 'New causes'),
          ('rising', 'table', 'Causes that rise'), ('regressed', 'table', 'Methods that take more time'),
          ('slower', 'table', 'Slower starts'), ('later', 'table', 'Scenes with more late frames'),
          ('slow', 'table', 'Kinds of requests with more slow ones'),
          ('top', 'table', 'Causes that cost most'), ('starts', 'table', 'Starts'), ('frames', 'table', 'Frames'),
          ('who', 'table', 'Devices and sessions')]
APPS = 'SELECT DISTINCT app FROM sessions ORDER BY app'
RELEASES = "SELECT app_release FROM sessions WHERE app = '${app}' GROUP BY app_release ORDER BY min(day) DESC"


def text_of(methodbeat, question):
    """Its SQL, in which days count from today, and app and releases are the dashboard's variables."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    sql = subprocess.run([methodbeat, 'fleet', 'ask', '--sql', 'clickhouse', question, '--old', '${old}', '--new', '${new}',
                          '--where', "app = '${app}'"], capture_output=True, text=True, check=True).stdout.strip().rstrip(';')
    sql = re.sub(r'^--.*\n', '', sql, flags=re.M)
    sql = re.sub(r"'(\d{4}-\d{2}-\d{2})'", lambda day: f'toString(today() - {(today - datetime.date.fromisoformat(day[1])).days})', sql)
    return f'SELECT toDate(day) AS time, app_release, per_1000 FROM (\n{sql})' if question == 'days' else sql


def panel(methodbeat, number, question, kind, title):
    half = number > 0
    return {'id': number + 1, 'type': kind, 'title': title, 'datasource': SOURCE,
            'gridPos': {'x': 12 * ((number - 1) % 2) if half else 0, 'y': 8 * ((number + 1) // 2), 'w': 12 if half else 24, 'h': 8},
            'targets': [{'refId': 'A', 'datasource': SOURCE, 'editorType': 'sql', 'format': TABLE,
                         'queryType': 'table', 'rawSql': text_of(methodbeat, question)}],
            **({'transformations': [{'id': 'prepareTimeSeries', 'options': {'format': 'multi'}}]} if kind == 'timeseries' else {})}


def variable(name, **more):
    return {'name': name, 'type': 'query', 'datasource': SOURCE, 'refresh': 1, **more}


def dashboard(methodbeat):
    return {
        'uid': 'methodbeat-fleet', 'title': 'methodbeat: a fleet', 'schemaVersion': 39, 'editable': True, 'tags': ['methodbeat'],
        'timezone': 'utc', 'time': {'from': 'now-14d', 'to': 'now'},
        'templating': {'list': [
            {'name': 'source', 'type': 'datasource', 'query': 'grafana-clickhouse-datasource', 'refresh': 1},
            variable('app', query=APPS), variable('new', label='release', query=RELEASES),
            variable('old', label='compared with', query=RELEASES + ' LIMIT 100 OFFSET 1')]},
        'panels': [panel(methodbeat, number, *row) for number, row in enumerate(PANELS)]}


if __name__ == '__main__':
    print(json.dumps(dashboard((sys.argv[1:] or ['methodbeat'])[0]), indent=1))
