#include "monitor/fps/reader.h"

static const struct mb_text wrapper = MB_TEXT_ROW("RequestedLayerState{");

/* The last place of part; text.size if absent. */
static size_t find_last(struct mb_text text, struct mb_text part)
{
    for (size_t at = text.size; at >= part.size && at > 0; at--) {
        if (memcmp(text.data + at - part.size, part.data, part.size) == 0) {
            return at - part.size;
        }
    }
    return text.size;
}

/* From the right, since a name has braces and spaces of its own. */
struct mb_text fps_layer_name(struct mb_text line)
{
    static const struct mb_text members[] = {
        MB_TEXT_ROW(" !handle"), MB_TEXT_ROW(" mirrorId="),         MB_TEXT_ROW(" layerStack="),
        MB_TEXT_ROW(" z="),      MB_TEXT_ROW(" relativeParentId="), MB_TEXT_ROW(" parentId=")};
    struct mb_text name = mb_text_trim(line);

    if (!mb_text_starts(name, wrapper)) {
        return name;
    }
    name = (struct mb_text){name.data + wrapper.size, name.size - wrapper.size};
    if (name.size > 0 && name.data[name.size - 1] == '}') {
        name.size--;
    }
    for (size_t i = 0; i < MB_COUNT(members); i++) {
        size_t at = find_last(name, members[i]);
        struct mb_text tail = {name.data + at, name.size - at};
        if (memchr(tail.data, '}', tail.size) == NULL) {
            name.size = at;
        }
    }
    return name;
}

bool fps_layer_is_of(struct mb_text name, struct mb_text package)
{
    static const struct mb_text containers[] = {
        MB_TEXT_ROW("Background for "), MB_TEXT_ROW("Bounds for "), MB_TEXT_ROW("ActivityRecord{"),
        MB_TEXT_ROW("Task="), MB_TEXT_ROW("WindowToken{")};

    if (!mb_text_contains(name, package) ||
        mb_text_contains(name, MB_TEXT("ActivityRecordInputSink"))) {
        return false;
    }
    for (size_t i = 0; i < MB_COUNT(containers); i++) {
        if (mb_text_starts(name, containers[i])) {
            return false;
        }
    }
    return true;
}

int fps_layer_rank(struct mb_text name)
{
    if (mb_text_contains(name, MB_TEXT("(BLAST)"))) {
        return 2;
    }
    return mb_text_starts(name, MB_TEXT("SurfaceView"));
}

void fps_put_quoted(struct mb_buf *out, struct mb_text text)
{
    mb_buf_put_u1(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'') {
            mb_buf_put_string(out, "'\\''");
        } else {
            mb_buf_put_u1(out, (uint8_t)text.data[i]);
        }
    }
    mb_buf_put_u1(out, '\'');
}
