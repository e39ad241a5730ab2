"""The texts of libzip's errors, as C, from the comments of its header. usage: errors.py zip.h > zip_err_str.c"""
import re
import sys

with open(sys.argv[1], encoding='utf-8') as header:
    rows = re.findall(r'^#define ZIP_ER_\w+ +(\d+) +/\* ([NSZ]) (.*?) \*/', header.read(), re.M)
assert [int(number) for number, _, _ in rows] == list(range(len(rows)))
kinds = {'N': 'ZIP_ET_NONE', 'S': 'ZIP_ET_SYS', 'Z': 'ZIP_ET_ZLIB'}
print('#include "zipint.h"\nconst char *const _zip_err_str[] = {')
for _, _, text in rows:
    print(f'    "{text}",')
print(f'}};\nconst int _zip_nerr_str = {len(rows)};\nconst int _zip_err_type[] = {{')
for _, kind, _ in rows:
    print(f'    {kinds[kind]},')
print('};')
