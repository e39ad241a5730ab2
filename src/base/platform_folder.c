#include "base/platform_folder.h"

#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 16

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct mb_names *names, const char *name)
{
    char **items = names->count % 64 != 0
                       ? names->items
                       : realloc(names->items, (names->count + 64) * sizeof(*items));
    char *copy = items != NULL ? strdup(name) : NULL;

    names->items = items != NULL ? items : names->items;
    if (copy == NULL) {
        errno = ENOMEM;
        return false;
    }
    names->items[names->count++] = copy;
    return true;
}

bool mb_names_list(struct mb_names *names, const char *path, bool (*is_chosen)(const char *name))
{
    struct mb_listing *listing = mb_listing_begin(NULL, path);
    struct mb_entry entry;
    int reason = 0;

    *names = (struct mb_names){0};
    if (listing == NULL) {
        return false;
    }
    while (reason == 0 && mb_listing_next(listing, &entry)) {
        bool is_taken = is_chosen == NULL || is_chosen(entry.name);
        reason = is_taken && !add_name(names, entry.name) ? errno : 0;
    }
    reason = reason != 0 ? reason : errno;
    mb_listing_end(listing);
    if (reason != 0) {
        mb_names_finish(names);
        errno = reason;
        return false;
    }
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    }
    return true;
}

void mb_names_finish(struct mb_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i]);
    }
    free(names->items);
    *names = (struct mb_names){0};
}

static bool remove_all(const char *path, unsigned depth)
{
    struct mb_file_info info;
    struct mb_names names;
    bool are_gone = true;

    if (!mb_file_look_at_link(NULL, path, &info)) {
        return false;
    }
    if (info.type != MB_FILE_FOLDER) {
        return mb_file_remove(NULL, path);
    }
    if (depth == MOST_DEPTH || !mb_names_list(&names, path, NULL)) {
        return false;
    }
    for (size_t i = 0; i < names.count; i++) {
        char inner[MB_PATH_SIZE];
        int size = snprintf(inner, sizeof(inner), "%s/%s", path, names.items[i]);
        are_gone &= size < (int)sizeof(inner) && remove_all(inner, depth + 1);
    }
    mb_names_finish(&names);
    return are_gone && mb_folder_remove(NULL, path);
}

bool mb_folder_remove_all(const char *path)
{
    return remove_all(path, 0);
}

bool mb_folder_remove_listed(const struct mb_folder *folder, bool (*is_chosen)(const char *name))
{
    struct mb_listing *listing = mb_listing_begin(folder, "");
    struct mb_entry entry;
    bool are_gone = listing != NULL;

    while (listing != NULL && mb_listing_next(listing, &entry)) {
        are_gone &= !is_chosen(entry.name) || mb_file_remove(folder, entry.name);
    }
    are_gone = are_gone && errno == 0;
    if (listing != NULL) {
        mb_listing_end(listing);
    }
    return are_gone;
}

bool mb_folder_has_device_of(const struct mb_folder *from, const char *path, bool *has_it)
{
    struct mb_file_info here;
    struct mb_file_info there;
    bool is_known = mb_file_look(from, "", &here) && mb_file_look(NULL, path, &there);

    *has_it = is_known && here.id.device == there.id.device;
    return is_known;
}

/* ---- Names that differ in case only ---- */

/* Letters from first to last, all or each second, that fold to the one at this distance. */
struct row {
    uint32_t first;
    uint32_t last;
    uint32_t step;
    int32_t distance;
};

/* The statuses C and S of CaseFolding.txt of Unicode 14.0.0; tests/cli/test_ports.py compares. */
static const struct row rows[] = {
    {0x41, 0x5a, 1, 32},         {0xb5, 0xb5, 1, 775},        {0xc0, 0xd6, 1, 32},
    {0xd8, 0xde, 1, 32},         {0x100, 0x12e, 2, 1},        {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},        {0x14a, 0x176, 2, 1},        {0x178, 0x178, 1, -121},
    {0x179, 0x17d, 2, 1},        {0x17f, 0x17f, 1, -268},     {0x181, 0x181, 1, 210},
    {0x182, 0x184, 2, 1},        {0x186, 0x186, 1, 206},      {0x187, 0x187, 1, 1},
    {0x189, 0x18a, 1, 205},      {0x18b, 0x18b, 1, 1},        {0x18e, 0x18e, 1, 79},
    {0x18f, 0x18f, 1, 202},      {0x190, 0x190, 1, 203},      {0x191, 0x191, 1, 1},
    {0x193, 0x193, 1, 205},      {0x194, 0x194, 1, 207},      {0x196, 0x196, 1, 211},
    {0x197, 0x197, 1, 209},      {0x198, 0x198, 1, 1},        {0x19c, 0x19c, 1, 211},
    {0x19d, 0x19d, 1, 213},      {0x19f, 0x19f, 1, 214},      {0x1a0, 0x1a4, 2, 1},
    {0x1a6, 0x1a6, 1, 218},      {0x1a7, 0x1a7, 1, 1},        {0x1a9, 0x1a9, 1, 218},
    {0x1ac, 0x1ac, 1, 1},        {0x1ae, 0x1ae, 1, 218},      {0x1af, 0x1af, 1, 1},
    {0x1b1, 0x1b2, 1, 217},      {0x1b3, 0x1b5, 2, 1},        {0x1b7, 0x1b7, 1, 219},
    {0x1b8, 0x1b8, 1, 1},        {0x1bc, 0x1bc, 1, 1},        {0x1c4, 0x1c4, 1, 2},
    {0x1c5, 0x1c5, 1, 1},        {0x1c7, 0x1c7, 1, 2},        {0x1c8, 0x1c8, 1, 1},
    {0x1ca, 0x1ca, 1, 2},        {0x1cb, 0x1db, 2, 1},        {0x1de, 0x1ee, 2, 1},
    {0x1f1, 0x1f1, 1, 2},        {0x1f2, 0x1f4, 2, 1},        {0x1f6, 0x1f6, 1, -97},
    {0x1f7, 0x1f7, 1, -56},      {0x1f8, 0x21e, 2, 1},        {0x220, 0x220, 1, -130},
    {0x222, 0x232, 2, 1},        {0x23a, 0x23a, 1, 10795},    {0x23b, 0x23b, 1, 1},
    {0x23d, 0x23d, 1, -163},     {0x23e, 0x23e, 1, 10792},    {0x241, 0x241, 1, 1},
    {0x243, 0x243, 1, -195},     {0x244, 0x244, 1, 69},       {0x245, 0x245, 1, 71},
    {0x246, 0x24e, 2, 1},        {0x345, 0x345, 1, 116},      {0x370, 0x372, 2, 1},
    {0x376, 0x376, 1, 1},        {0x37f, 0x37f, 1, 116},      {0x386, 0x386, 1, 38},
    {0x388, 0x38a, 1, 37},       {0x38c, 0x38c, 1, 64},       {0x38e, 0x38f, 1, 63},
    {0x391, 0x3a1, 1, 32},       {0x3a3, 0x3ab, 1, 32},       {0x3c2, 0x3c2, 1, 1},
    {0x3cf, 0x3cf, 1, 8},        {0x3d0, 0x3d0, 1, -30},      {0x3d1, 0x3d1, 1, -25},
    {0x3d5, 0x3d5, 1, -15},      {0x3d6, 0x3d6, 1, -22},      {0x3d8, 0x3ee, 2, 1},
    {0x3f0, 0x3f0, 1, -54},      {0x3f1, 0x3f1, 1, -48},      {0x3f4, 0x3f4, 1, -60},
    {0x3f5, 0x3f5, 1, -64},      {0x3f7, 0x3f7, 1, 1},        {0x3f9, 0x3f9, 1, -7},
    {0x3fa, 0x3fa, 1, 1},        {0x3fd, 0x3ff, 1, -130},     {0x400, 0x40f, 1, 80},
    {0x410, 0x42f, 1, 32},       {0x460, 0x480, 2, 1},        {0x48a, 0x4be, 2, 1},
    {0x4c0, 0x4c0, 1, 15},       {0x4c1, 0x4cd, 2, 1},        {0x4d0, 0x52e, 2, 1},
    {0x531, 0x556, 1, 48},       {0x10a0, 0x10c5, 1, 7264},   {0x10c7, 0x10c7, 1, 7264},
    {0x10cd, 0x10cd, 1, 7264},   {0x13f8, 0x13fd, 1, -8},     {0x1c80, 0x1c80, 1, -6222},
    {0x1c81, 0x1c81, 1, -6221},  {0x1c82, 0x1c82, 1, -6212},  {0x1c83, 0x1c84, 1, -6210},
    {0x1c85, 0x1c85, 1, -6211},  {0x1c86, 0x1c86, 1, -6204},  {0x1c87, 0x1c87, 1, -6180},
    {0x1c88, 0x1c88, 1, 35267},  {0x1c90, 0x1cba, 1, -3008},  {0x1cbd, 0x1cbf, 1, -3008},
    {0x1e00, 0x1e94, 2, 1},      {0x1e9b, 0x1e9b, 1, -58},    {0x1e9e, 0x1e9e, 1, -7615},
    {0x1ea0, 0x1efe, 2, 1},      {0x1f08, 0x1f0f, 1, -8},     {0x1f18, 0x1f1d, 1, -8},
    {0x1f28, 0x1f2f, 1, -8},     {0x1f38, 0x1f3f, 1, -8},     {0x1f48, 0x1f4d, 1, -8},
    {0x1f59, 0x1f5f, 2, -8},     {0x1f68, 0x1f6f, 1, -8},     {0x1f88, 0x1f8f, 1, -8},
    {0x1f98, 0x1f9f, 1, -8},     {0x1fa8, 0x1faf, 1, -8},     {0x1fb8, 0x1fb9, 1, -8},
    {0x1fba, 0x1fbb, 1, -74},    {0x1fbc, 0x1fbc, 1, -9},     {0x1fbe, 0x1fbe, 1, -7173},
    {0x1fc8, 0x1fcb, 1, -86},    {0x1fcc, 0x1fcc, 1, -9},     {0x1fd8, 0x1fd9, 1, -8},
    {0x1fda, 0x1fdb, 1, -100},   {0x1fe8, 0x1fe9, 1, -8},     {0x1fea, 0x1feb, 1, -112},
    {0x1fec, 0x1fec, 1, -7},     {0x1ff8, 0x1ff9, 1, -128},   {0x1ffa, 0x1ffb, 1, -126},
    {0x1ffc, 0x1ffc, 1, -9},     {0x2126, 0x2126, 1, -7517},  {0x212a, 0x212a, 1, -8383},
    {0x212b, 0x212b, 1, -8262},  {0x2132, 0x2132, 1, 28},     {0x2160, 0x216f, 1, 16},
    {0x2183, 0x2183, 1, 1},      {0x24b6, 0x24cf, 1, 26},     {0x2c00, 0x2c2f, 1, 48},
    {0x2c60, 0x2c60, 1, 1},      {0x2c62, 0x2c62, 1, -10743}, {0x2c63, 0x2c63, 1, -3814},
    {0x2c64, 0x2c64, 1, -10727}, {0x2c67, 0x2c6b, 2, 1},      {0x2c6d, 0x2c6d, 1, -10780},
    {0x2c6e, 0x2c6e, 1, -10749}, {0x2c6f, 0x2c6f, 1, -10783}, {0x2c70, 0x2c70, 1, -10782},
    {0x2c72, 0x2c72, 1, 1},      {0x2c75, 0x2c75, 1, 1},      {0x2c7e, 0x2c7f, 1, -10815},
    {0x2c80, 0x2ce2, 2, 1},      {0x2ceb, 0x2ced, 2, 1},      {0x2cf2, 0x2cf2, 1, 1},
    {0xa640, 0xa66c, 2, 1},      {0xa680, 0xa69a, 2, 1},      {0xa722, 0xa72e, 2, 1},
    {0xa732, 0xa76e, 2, 1},      {0xa779, 0xa77b, 2, 1},      {0xa77d, 0xa77d, 1, -35332},
    {0xa77e, 0xa786, 2, 1},      {0xa78b, 0xa78b, 1, 1},      {0xa78d, 0xa78d, 1, -42280},
    {0xa790, 0xa792, 2, 1},      {0xa796, 0xa7a8, 2, 1},      {0xa7aa, 0xa7aa, 1, -42308},
    {0xa7ab, 0xa7ab, 1, -42319}, {0xa7ac, 0xa7ac, 1, -42315}, {0xa7ad, 0xa7ad, 1, -42305},
    {0xa7ae, 0xa7ae, 1, -42308}, {0xa7b0, 0xa7b0, 1, -42258}, {0xa7b1, 0xa7b1, 1, -42282},
    {0xa7b2, 0xa7b2, 1, -42261}, {0xa7b3, 0xa7b3, 1, 928},    {0xa7b4, 0xa7c2, 2, 1},
    {0xa7c4, 0xa7c4, 1, -48},    {0xa7c5, 0xa7c5, 1, -42307}, {0xa7c6, 0xa7c6, 1, -35384},
    {0xa7c7, 0xa7c9, 2, 1},      {0xa7d0, 0xa7d0, 1, 1},      {0xa7d6, 0xa7d8, 2, 1},
    {0xa7f5, 0xa7f5, 1, 1},      {0xab70, 0xabbf, 1, -38864}, {0xff21, 0xff3a, 1, 32},
    {0x10400, 0x10427, 1, 40},   {0x104b0, 0x104d3, 1, 40},   {0x10570, 0x1057a, 1, 39},
    {0x1057c, 0x1058a, 1, 39},   {0x1058c, 0x10592, 1, 39},   {0x10594, 0x10595, 1, 39},
    {0x10c80, 0x10cb2, 1, 64},   {0x118a0, 0x118bf, 1, 32},   {0x16e40, 0x16e5f, 1, 32},
    {0x1e900, 0x1e921, 1, 34},
};

static int compare_point(const void *key, const void *item)
{
    const uint32_t *point = key;
    const struct row *row = item;

    return (*point > row->last) - (*point < row->first);
}

static uint32_t fold_point(uint32_t point)
{
    const struct row *row = bsearch(&point, rows, MB_COUNT(rows), sizeof(*rows), compare_point);
    bool folds = row != NULL && (point - row->first) % row->step == 0;

    return folds ? point + (uint32_t)row->distance : point;
}

static uint32_t decode_point(const char *bytes, size_t size)
{
    uint32_t point = (uint8_t)bytes[0] & (size == 1 ? 0x7fU : 0x7fU >> size);

    for (size_t i = 1; i < size; i++) {
        point = point << 6 | ((uint8_t)bytes[i] & 0x3fU);
    }
    return point;
}

void mb_put_case_key(struct mb_buf *key, struct mb_text name)
{
    while (name.size > 0) {
        size_t size = mb_text_utf8(name);
        uint32_t point = size > 0 ? fold_point(decode_point(name.data, size))
                                  : 0xffff00U | (uint8_t)name.data[0];
        mb_buf_put_u1(key, point >> 16);
        mb_buf_put_u1(key, point >> 8 & 0xffU);
        mb_buf_put_u1(key, point & 0xffU);
        name = mb_text_from(name, size > 0 ? size : 1);
    }
}

/* ---- Names that every system takes ---- */

static bool is_numbered(struct mb_text stem, const char *device)
{
    struct mb_text letters = {stem.data, 3};

    return stem.size == 4 && stem.data[3] >= '1' && stem.data[3] <= '9' &&
           mb_text_equal_any_case(letters, mb_text_of(device));
}

/* CON, NUL, COM1 and others, in any case, and with any extension. */
static bool is_device(struct mb_text name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    struct mb_text rest = name;
    struct mb_text stem = mb_text_trim(mb_text_split(&rest, '.'));

    for (size_t i = 0; i < MB_COUNT(devices); i++) {
        if (mb_text_equal_any_case(stem, mb_text_of(devices[i]))) {
            return true;
        }
    }
    return is_numbered(stem, "com") || is_numbered(stem, "lpt");
}

static bool is_kept(char c)
{
    return (unsigned char)c < ' ' || strchr("<>:\"/\\|?*", c) != NULL;
}

bool mb_name_is_portable(struct mb_text name)
{
    for (struct mb_text rest = name; rest.size > 0;) {
        size_t size = mb_text_utf8(rest);
        if (size == 0 || (size == 1 && is_kept(rest.data[0]))) {
            return false;
        }
        rest = mb_text_from(rest, size);
    }
    return name.size > 0 && name.data[name.size - 1] != '.' && name.data[name.size - 1] != ' ' &&
           !is_device(name);
}

enum mb_status mb_name_check_path(const char *input, struct mb_text path, struct mb_error *err)
{
    struct mb_text rest = path;

    while (mb_path_has_devices && rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, '/');
        if (!mb_name_is_portable(part)) {
            (void)mb_fail(err, MB_IO, MB_NO_OFFSET,
                          "Windows keeps the name '%.*s' for itself: write a jar", (int)part.size,
                          part.data);
            mb_error_in_entry(err, input, path.data, path.size);
            return MB_IO;
        }
    }
    return MB_OK;
}
