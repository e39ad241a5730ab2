"""Two edits of libcore's natives that sed cannot make.

usage: adapt.py LIBCORE
"""
import re
import sys


def edit(path, pattern, replacement):
    path = f'{sys.argv[1]}/{path}'
    with open(path, encoding='utf-8') as file:
        text, count = re.subn(pattern, replacement, file.read(), flags=re.S)
    if count != 1:
        sys.exit(f'{path}: {count} places to edit')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


# clang's way to ask for a sanitizer, in the condition that Linux has.
edit('ojluni/src/main/native/UNIXProcess_md.c',
     r'defined\(__linux__\) && !__has_feature\(address_sanitizer\) && \\\n *!__has_feature\(hwaddress_sanitizer\)',
     'defined(__linux__)')
edit('ojluni/src/main/native/StrictMath.c', r'"\.\./\.\./external/fdlibm/fdlibm\.h"', '"strict_math.h"')
# Debian's ICU has its data in a library, and maps no file.
edit('luni/src/main/native/libcore_icu_ICU.cpp',
     r'    // Tell ICU it can \*only\* use our memory-mapped data\..*?(?=    // Failures to find the ICU data tend to be)', '')
