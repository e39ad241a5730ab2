"""A jar of dex as ART can map it, stored and aligned, and all else that is in a folder.

usage: pack.py DEX.jar OUTPUT.jar [FOLDER]
"""
import os
import sys
import zipfile

HEADER = 30  # bytes before an entry's name


def main():
    with zipfile.ZipFile(sys.argv[1]) as jar, zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED) as out:
        for name in jar.namelist():
            entry = zipfile.ZipInfo(name)
            entry.extra = bytes(-(out.fp.tell() + HEADER + len(name)) % 4)
            out.writestr(entry, jar.read(name), zipfile.ZIP_STORED)
        for folder, _, names in sorted(os.walk(sys.argv[3])) if len(sys.argv) > 3 else ():
            for name in sorted(names):
                path = os.path.join(folder, name)
                out.write(path, os.path.relpath(path, sys.argv[3]))


main()
