"""Archives that are the same bytes each time they are made: fixed times, owners, order and compression."""
import base64
import gzip
import hashlib
import io
import os
import stat
import tarfile
import zipfile

EPOCH = 315532800  # 1980, before which no zip can say anything


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)


def digest(content, kind='sha256'):
    return hashlib.new(kind, content).hexdigest()


def digest64(content, kind):
    """As npm and wheels write one."""
    return base64.b64encode(hashlib.new(kind, content).digest()).decode()


def gz(content):
    raw = io.BytesIO()
    with gzip.GzipFile(filename='', mode='wb', fileobj=raw, mtime=0, compresslevel=9) as file:
        file.write(content)
    return raw.getvalue()


def tar(files, time=EPOCH):
    """files: (name, content, mode); a name that ends in / is a folder."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode='w', format=tarfile.USTAR_FORMAT) as archive:
        for name, content, mode in files:
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if name.endswith('/') else tarfile.REGTYPE
            entry.size, entry.mode, entry.mtime = len(content), mode, time
            entry.uname = entry.gname = 'root'
            archive.addfile(entry, io.BytesIO(content))
    return raw.getvalue()


def pack(files):
    """A zip of (name, content, mode)."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # whose modes these are, on whatever system this runs
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return raw.getvalue()


def repack(content, manifest=None):
    """A jar or an AAR again, whose entries say when they were packed, and so do those of a jar in it; with this manifest, if
    one is given."""
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        names = sorted(name for name in given.namelist() if not name.endswith('/'))
        files = {name: repack(given.read(name)) if name.endswith('.jar') else given.read(name) for name in names}
    if manifest is not None:
        files['META-INF/MANIFEST.MF'] = manifest
    first = files.pop('META-INF/MANIFEST.MF', None)
    return pack([*([('META-INF/MANIFEST.MF', first, 0o644)] if first is not None else ()),
                 *((name, files[name], 0o644) for name in sorted(files))])


def ar(files, time=EPOCH):
    """An ar archive of (name, content), as a .deb is one."""
    raw = [b'!<arch>\n']
    for name, content in files:
        raw.append(b'%-16s%-12d%-6d%-6d%-8s%-10d`\n' % (name.encode(), time, 0, 0, b'100644', len(content)))
        raw.append(content + b'\n' * (len(content) % 2))
    return b''.join(raw)
