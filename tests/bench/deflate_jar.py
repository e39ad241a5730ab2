#!/usr/bin/env python3
"""usage: deflate_jar.py JAR COPY: the same entries, all deflated at level 6, each name once."""

import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as old, \
        zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=6) as new:
    entries = {entry.filename: entry for entry in old.infolist()}
    for entry in entries.values():
        copy = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
        copy.compress_type = zipfile.ZIP_STORED if entry.is_dir() else zipfile.ZIP_DEFLATED
        new.writestr(copy, old.read(entry))
