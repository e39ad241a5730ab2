"""Reads the page that report --format=html writes, as a browser without JavaScript shows it, and the
data that its program reads."""
import base64
import html.parser
import re
import struct
import zlib

VOID = {'meta', 'rect', 'br', 'input'}
TAGS = {'html', 'head', 'meta', 'title', 'style', 'body', 'header', 'h1', 'h2', 'h3', 'nav', 'a',
        'main', 'p', 'section', 'details', 'summary', 'span', 'b', 'i', 'data', 'dl', 'dt', 'dd',
        'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'svg', 'rect', 'footer', 'script',
        'noscript', 'button', 'input', 'label', 'select', 'option', 'canvas', 'dialog', 'kbd',
        'form', 'ul', 'li', 'code'}
LOOSE = re.compile(r'[0-9] (?:%|[mun\u00b5]?s|[kMG])(?!\w)')


def numbers(data):
    """Varints."""
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def unzigzag(value):
    return -(value + 1) // 2 if value & 1 else value // 2


class Page(html.parser.HTMLParser):
    """faults: what no page of ours has. rows: {section id: [[cell, ...], ...]}, where a cell is the
    exact value, if it has one, or its text. texts: {section id: its text}."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults, self.rows, self.texts, self.scripts = [], {}, {}, []
        self.details, self.elements, self.drawn, self.issues = [], {}, [], []
        self.open, self.section, self.cell, self.title = [], '', None, ''
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f'not closed: {self.open}')

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in TAGS or any(name.startswith('on') or name == 'style' for name in values):
            self.faults.append(f'<{tag} {values}>')
        if tag not in VOID:
            self.open.append(tag)
        if tag in ('section', 'footer', 'main'):
            self.section = values.get('id', tag)
        elif tag == 'tr':
            self.rows.setdefault(self.section, []).append([])
            if 'data-fps' in values:
                self.drawn.append(values)
        elif tag in ('td', 'th'):
            self.cell = ''
        elif tag == 'data':
            self.cell = int(values['value'])
        elif tag == 'script':
            self.scripts.append(values)
        elif tag == 'details' and self.section == 'slow':
            self.details.append(values)
        elif tag == 'details' and self.section == 'issues':
            self.issues.append(values)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f'</{tag}> closes another')
        elif tag in ('td', 'th'):
            self.rows[self.section][-1].append(self.cell)
            self.cell = None
        elif tag in ('section', 'footer'):
            self.section = ''

    def handle_data(self, data):
        if self.open and self.open[-1] == 'script':
            name = self.scripts[-1].get('id', 'program')
            self.elements[name] = self.elements.get(name, '') + data
        if self.open and self.open[-1] in ('style', 'script'):
            return
        if LOOSE.search(data) and not {'data', 'td', 'th'} & set(self.open):
            self.faults.append(f'a unit that may go to the next line: {data!r}')
        data = data.replace('\u00a0', ' ')
        if self.open and self.open[-2:] == ['head', 'title']:
            self.title += data
        self.texts[self.section] = self.texts.get(self.section, '') + data
        if isinstance(self.cell, str):
            self.cell += data

    def columns(self, name, count):
        """So many columns of an element, as page/data.js reads them."""
        data = zlib.decompress(base64.b64decode(self.elements[name], validate=True))
        rows, = struct.unpack_from('<I', data)
        columns, at = [], 4
        for _ in range(count):
            size, = struct.unpack_from('<I', data, at)
            columns.append(list(numbers(data[at + 4:at + 4 + size])))
            at += 4 + size
            assert len(columns[-1]) == rows, (name, rows, len(columns[-1]))
        assert at == len(data), name
        return columns

    def calls(self, number):
        """(start, duration, rank, depth, open) of the calls of a thread."""
        now, depth, found = 0, 0, []
        for start, duration, rank, deeper in zip(*self.columns(f'calls-{number}', 4)):
            now += unzigzag(start)
            depth += unzigzag(deeper >> 2)
            found.append((now, duration, rank, depth, deeper & 1))
        return found

    def names(self):
        data = zlib.decompress(base64.b64decode(self.elements['names'], validate=True))
        return data.decode('utf-8').split('\n')

    def body(self, section):
        """The rows below headings."""
        return [row for row in self.rows.get(section, []) if not isinstance(row[0], str)]
