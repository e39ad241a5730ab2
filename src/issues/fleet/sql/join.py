#!/usr/bin/env python3
"""Put the SQL into C: a row of questions.def each, and a file, whose first line says what it asks; what makes the tables
of tables.def known to engines, by sql/views; what loads them, by sql/load.sql and load_ENGINE.sql; and what writes them
again, by sql/rewrite.sql.

usage: join.py OUTPUT.c DEPENDENCIES questions.def
"""
import json
import pathlib
import re
import sys

TYPES = {
    'duckdb': {'TEXT': 'VARCHAR', 'INTEGER': 'BIGINT', 'REAL': 'DOUBLE', 'NAMES': 'VARCHAR[]', 'NUMBERS': 'BIGINT[]',
               'TAGS': 'MAP(VARCHAR, VARCHAR)'},
    'spark': {'TEXT': 'STRING', 'INTEGER': 'BIGINT', 'REAL': 'DOUBLE', 'NAMES': 'ARRAY<STRING>', 'NUMBERS': 'ARRAY<BIGINT>',
              'TAGS': 'MAP<STRING, STRING>'},
    'clickhouse': {'TEXT': 'Nullable(String)', 'INTEGER': 'Nullable(Int64)', 'REAL': 'Nullable(Float64)',
                   'NAMES': 'Array(String)', 'NUMBERS': 'Array(Int64)', 'TAGS': 'Map(String, String)'}}

NESTED = {'duckdb': 'STRUCT({})[]', 'spark': 'ARRAY<STRUCT<{}>>', 'clickhouse': 'Array(Tuple({}))'}
HASHES = ('cause', 'cause4', 'path', 'parent', 'method')


class Table:
    """keys, worst, order: as tables.def has them; columns: name -> type"""

    def __init__(self, name, keys, worst, order):
        self.name, self.keys, self.worst, self.order, self.columns = name, keys.split(', '), worst, order, {}

    def is_name(self):
        """Which each upload repeats."""
        return 'device' not in self.columns and self.keys in (['path'], ['method'])


def read_tables(path):
    text = re.sub(r'/\*.*?\*/', '', path.read_text(), flags=re.S)
    tables = [Table(*row) for row in re.findall(r'^FLEET_TABLE\((\w+), "(.*?)", "(.*?)", "(.*?)"\)', text, re.M)]
    for table in tables:
        for owner, name, kind in re.findall(r'FLEET_COLUMN\((\w+), (\w+), (\w+)\)', text):
            if owner == table.name or owner == 'table' and f'FLEET_WHO({table.name})' in text:
                table.columns[name] = kind
    for dialect, types in TYPES.items():  # of lists
        for table in tables:
            if table.name in ('sums', 'counts'):
                own = list(table.columns)[list(table.columns).index('date') + 1:]
                types[table.name.upper()] = NESTED[dialect].format(', '.join(
                    f'{name}{":" * (dialect == "spark")} {types[table.columns[name]]}' for name in own))
    return tables


def sections(path):
    """name -> text"""
    parts = re.split(r'^-- (.+)\n', path.read_text(), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def fill(text, blanks):
    return re.sub(r'<([a-z ]+)>', lambda blank: blanks[blank[1]], text)


def typed(columns, types):
    return ', '.join(f'{name} {types[kind]}' for name, kind in columns.items())


def views(folder, dialect, tables):
    """(folder that may be there, is it of names, text if it is there, text if not)"""
    text, types = sections(folder / f'{dialect}.sql'), TYPES[dialect]
    sums = next(table.columns for table in tables if table.name == 'sums')
    old = {name: kind for name, kind in sums.items() if kind != 'NUMBERS'}
    for table in tables:
        files = f'lake/{table.name}/day=*/*.parquet' if table.is_name() else f'files/{table.name}'
        blanks = {'table': table.name, 'files': f'{{{files}}}', 'view': table.name + '_files' * (table.name == 'sums'),
                  'typed': typed(table.columns, types),
                  'nothing': ', '.join(f'CAST(NULL AS {types[kind]}) AS {name}' if 'Array' not in types[kind] and
                                       'Map' not in types[kind] else f'CAST([], \'{types[kind]}\') AS {name}'
                                       for name, kind in {**table.columns, 'day': 'TEXT'}.items())}
        yield table.name, table.is_name(), fill(text['table'], blanks), fill(text['no table'], blanks)
    blanks = {'typed of sums': typed(old, types), 'names of sums': ', '.join(old),
              'who': ', '.join(list(old)[:list(old).index('date')])}
    blanks['owner'] = blanks['who'].replace('session,', 'coalesce(session, profile) AS session,')  # a trace by itself
    blanks['sums'] = fill(text['sums'], blanks)
    yield 'buckets', False, *(fill(text[name] + text['buckets'], blanks) for name in ('old buckets', 'no old buckets'))


def statements(text, table):
    """What reads a table of a load, and frees it of doubles; what writes a day of it; what drops it."""
    keys, has_who = table.keys, 'device' in table.columns
    match = [f'lake.{key} {"=" if i < 2 else "IS NOT DISTINCT FROM"} new_{table.name}.{key}' for i, key in enumerate(keys)]
    blanks = {
        'table': table.name, 'keys': ', '.join(keys), 'worst': table.worst and table.worst + ', ',
        'order': table.order and f' ORDER BY {table.order}',
        'read': ', '.join(['min(day) AS day, min(upload) AS upload'] + [name if name in keys else f'max({name}) AS {name}'
                                                                          for name in table.columns])
                if table.is_name() else '*',
        'grouped': f' GROUP BY {keys[0]}' if table.is_name() else '', 'upload': '' if has_who else ', upload',
        'quoted': ', '.join(f'"{name}": \'{TYPES["duckdb"][kind]}\'' for name, kind in table.columns.items()),
        'known': ' AND '.join(f'{key} IS NOT NULL' for key in keys[:2]) +
                 (' AND profile IN (SELECT profile FROM again)' if table.name == 'nodes' else ''),
        'late': 'true' if table.is_name() else 'day >= {since}' + ('' if table.worst else ' AND {cut}'),
        'match': ' AND '.join(match)}
    again = 'CREATE TABLE again AS SELECT profile FROM new_profiles GROUP BY profile HAVING count(*) > 1;\n'
    return (fill(text['read'], blanks) + (again if table.name == 'profiles' else '') +
            ('' if table.is_name() else fill(text['doubles'], blanks)) + fill(text['known'], blanks),
            fill(text['day'], blanks), fill(text['end'], blanks))


def rewriting(text, table):
    """What finds the files of a table, and what writes them again. A name stands where it was first met, on whichever device,
    and is of code: it stays."""
    gone = 'profile IN (SELECT profile FROM profiles WHERE device IN' if table.name == 'nodes' else 'device IN'
    gone = f'coalesce({gone} {text["devices"].strip()}{")" * (table.name == "nodes")}, false)'
    blanks = {'table': table.name, 'stays': 'true' if table.is_name() else 'day >= {before}',
              'gone': 'false' if table.is_name() else gone}
    return fill(text['find'], blanks), fill(text['write'], blanks)


def checked(name, kind, now):
    """A column of foreign JSON, as issues/fleet/check.c lets it pass. now: seconds since 1970"""
    most = {'TEXT': f'length(r.{name}) <= 65536', 'REAL': f'r.{name} BETWEEN 0 AND 1e15',
            'INTEGER': f'r.{name} BETWEEN 0 AND 1000000000000000'}
    if name == 'ts':
        most['INTEGER'] = f'r.ts BETWEEN 946684800000 AND ({now} + 172800) * 1000'
    if kind not in most or name in HASHES:
        return f'r.{name}'
    return f'CASE WHEN {most[kind]} THEN r.{name} END AS {name}'


def elsewhere(text, table, engine, now):
    """What loads a table by another engine."""
    keys, has_who = table.keys, 'device' in table.columns
    blanks = {
        'table': table.name, 'keys': ', '.join(keys), 'worst': table.worst and table.worst + ', ',
        'typed': typed(table.columns, TYPES[engine]), 'checked': ', '.join(checked(*each, now) for each in table.columns.items()),
        'view': table.name + '_files' * (table.name == 'sums'), 'first': f'r.{table.worst.split()[0]}' if table.worst else '0',
        'upload typed': ', upload STRING' * has_who, 'upload': ', upload' * has_who, 'names': ', '.join(table.columns),
        'largest': ', '.join(name if name in keys else f'max({name}) AS {name}' for name in table.columns),
        'known': ' AND '.join(f'{"r." * (engine == "clickhouse")}{key} IS NOT NULL' for key in keys[:2]),
        'match': ' AND '.join(f'l.{key} {"=" if i < 2 else "<=>"} n.{key}' for i, key in enumerate(keys))}
    return fill(text['table'] + text.get('names' if table.is_name() else 'rows', ''), blanks)


def quote(text):
    return ''.join(f'\n     {json.dumps(line)}' for line in text.splitlines(True))


def question(path, rows):
    text = re.sub(r'^-- include: (\w+)\n', lambda part: (path.parent / f'parts/{part[1]}.sql').read_text(),
                  path.read_text(), flags=re.M)
    return (f'    {{"{path.stem}", {json.dumps(text.splitlines()[0].removeprefix("-- "))},{quote(text)},\n'
            f'     {str("{old}" in text).lower()}, {str("-- A row is a finding." in text).lower()}, {rows}}},\n')


def main(output, dependencies, table):
    table = pathlib.Path(table)
    folder = table.parent / 'sql'
    rows = re.findall(r'^QUESTION\((\w+), (-?\d+)\)$', table.read_text(), re.M)
    tables = read_tables(table.with_name('tables.def'))
    sources = [*folder.rglob('*.sql'), table.with_name('tables.def')]
    pathlib.Path(dependencies).write_text(f'{output}: {" ".join(map(str, sources))}\n')
    load, spark, clickhouse = (sections(folder / f'{name}.sql') for name in ('load', 'load_spark', 'load_clickhouse'))
    by_spark = spark['begin'] + ''.join(elsewhere(spark, each, 'spark', 'unix_timestamp()') for each in tables)
    by_clickhouse = clickhouse['begin'] + ''.join(elsewhere(clickhouse, each, 'clickhouse', 'toUnixTimestamp(now())') for each in tables)
    by_clickhouse += [absent for name, _, _, absent in views(folder / 'views', 'clickhouse', tables) if name == 'buckets'][0]
    counts = ', '.join(f'(SELECT n FROM kept_{each.name}) AS {each.name}' for each in tables)
    pathlib.Path(output).write_text(
        '#include "issues/fleet/questions.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
        'const struct fleet_question fleet_questions[] = {\n'
        + ''.join(question(folder / f'{name}.sql', count) for name, count in rows) + '};\n'
        f'const size_t fleet_question_count = {len(rows)};\n\n'
        'const struct fleet_view fleet_views[][FLEET_VIEW_COUNT] = {\n'
        + ''.join('    {' + ',\n'.join(f'{{"{name}", {str(is_of_names).lower()},{quote(there)},{quote(absent)}}}'
                                       for name, is_of_names, there, absent in views(folder / 'views', dialect, tables))
                  + '},\n' for dialect in TYPES) + '};\n\n'
        f'const struct fleet_load_sql fleet_load_sql = {{{quote(load["begin"])}, {{\n'
        + ''.join(f'    {{{", ".join(map(quote, statements(load, each)))}}},\n' for each in tables) +
        f'    }}, "SELECT {counts};\\n",{quote(by_spark)},{quote(by_clickhouse)}}};\n\n'
        'const struct fleet_rewrite_sql fleet_rewrite_sql[] = {\n'
        + ''.join(f'    {{{", ".join(map(quote, rewriting(sections(folder / "rewrite.sql"), each)))}}},\n'
                  for each in [*tables, Table('buckets', 'device', '', '')]) + '};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
