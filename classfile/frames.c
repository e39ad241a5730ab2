#include "classfile/frames.h"

#include <string.h>

#define MAX_PC 65535U
#define SHORT_DELTA_LIMIT 64U
#define FULL_HEAD_SIZE 3U /* frame_type, offset_delta */

struct cf_frames cf_frames_of(const struct cf_class *cls, const struct cf_attribute *attribute)
{
    struct cf_cursor in = {
        .next = attribute->bytes, .end = attribute->bytes + attribute->size, .base = cls->bytes};
    uint16_t left = cf_read_u2(&in);

    return (struct cf_frames){
        .in = in, .left = left, .is_cldc = attribute->kind == CF_ATTRIBUTE_StackMap};
}

/* Move past count types; false if a type is unknown or truncated. */
static bool skip_types(struct cf_cursor *in, uint32_t count, uint16_t *tags)
{
    const uint8_t *next = in->next;
    unsigned found = 0;

    for (; count > 0; count--) {
        if (next >= in->end || *next > CF_TYPE_UNINITIALIZED) {
            return false;
        }
        found |= 1U << *next;
        next += *next >= CF_TYPE_OBJECT ? 3 : 1;
    }
    if (next > in->end) {
        return false;
    }
    in->next = next;
    *tags |= (uint16_t)found;
    return true;
}

/* Locals and stack, whose counts come from the form or, in full frames, from the bytes. */
static bool read_types(struct cf_cursor *in, struct cf_frame *frame)
{
    bool is_full = frame->type == CF_FRAME_FULL;

    if (is_full) {
        frame->local_count = cf_read_u2(in);
    }
    frame->locals = in->next;
    if (!skip_types(in, frame->local_count, &frame->tags)) {
        return false;
    }
    if (is_full) {
        frame->stack_count = cf_read_u2(in);
    }
    frame->stack = in->next;
    if (!skip_types(in, frame->stack_count, &frame->tags)) {
        return false;
    }
    frame->end = in->next;
    return !in->overrun;
}

/* The delta, and the counts that the form implies; false for a type that is reserved. */
static bool read_form(struct cf_cursor *in, struct cf_frame *frame, uint32_t *delta)
{
    uint8_t type = cf_read_u1(in);

    *frame = (struct cf_frame){.type = type};
    if (type <= CF_FRAME_SAME_LOCALS_1_LAST) {
        *delta = type % SHORT_DELTA_LIMIT;
        frame->stack_count = type > CF_FRAME_SAME_LAST;
        return true;
    }
    *delta = cf_read_u2(in);
    if (type >= CF_FRAME_CHOP_FIRST && type < CF_FRAME_SAME_EXTENDED) {
        frame->chop_count = (uint8_t)(CF_FRAME_SAME_EXTENDED - type);
    } else if (type >= CF_FRAME_APPEND_FIRST && type < CF_FRAME_FULL) {
        frame->local_count = (uint16_t)(type - CF_FRAME_APPEND_FIRST + 1);
    }
    frame->stack_count = type == CF_FRAME_SAME_LOCALS_1_EXTENDED;
    return type >= CF_FRAME_SAME_LOCALS_1_EXTENDED;
}

bool cf_frames_next(struct cf_frames *frames, struct cf_frame *frame)
{
    uint32_t delta = 0;

    if (frames->left == 0 || frames->is_bad) {
        return false;
    }
    frames->left--;
    if (frames->is_cldc) {
        *frame = (struct cf_frame){.type = CF_FRAME_FULL, .pc = cf_read_u2(&frames->in)};
        frames->is_bad = frame->pc < frames->next_pc;
    } else {
        frames->is_bad = !read_form(&frames->in, frame, &delta);
        frame->pc = frames->next_pc + delta;
    }
    frame->body = frames->in.next;
    frames->is_bad = frames->is_bad || !read_types(&frames->in, frame) || frame->pc > MAX_PC;
    /* JVMS §4.7.4: the next delta counts from this frame's pc plus one. */
    frames->next_pc = frame->pc + 1;
    return !frames->is_bad;
}

enum mb_status cf_frames_check(const struct cf_frames *frames, struct mb_error *err)
{
    if (frames->is_bad || frames->left > 0 || !cf_cursor_done(&frames->in)) {
        return mb_fail(err, MB_BAD_CLASS, cf_cursor_offset(&frames->in),
                       "malformed stack map frame");
    }
    return MB_OK;
}

/* --- moving --- */

/* Uninitialized names a new, not a place that is jumped to. */
static void move_news(uint8_t *types, uint32_t count, const struct cf_offsets *offsets)
{
    for (; count > 0; count--) {
        if (*types == CF_TYPE_UNINITIALIZED) {
            mb_set_u2(types + 1, cf_offsets_instruction(offsets, mb_get_u2(types + 1)));
        }
        types += *types >= CF_TYPE_OBJECT ? 3 : 1;
    }
}

static uint8_t *write_head(uint8_t *place, uint8_t type, uint32_t delta)
{
    if (type <= CF_FRAME_SAME_LOCALS_1_LAST) {
        bool has_type = type > CF_FRAME_SAME_LAST;
        if (delta < SHORT_DELTA_LIMIT) {
            *place = (uint8_t)(delta + (has_type ? SHORT_DELTA_LIMIT : 0));
            return place + 1;
        }
        type = has_type ? CF_FRAME_SAME_LOCALS_1_EXTENDED : CF_FRAME_SAME_EXTENDED;
    }
    *place = type;
    mb_set_u2(place + 1, delta);
    return place + FULL_HEAD_SIZE;
}

/* Where frames are being written. */
struct sink {
    uint8_t *place;
    uint32_t next_pc; /* in the new code: the pc that a delta of 0 means */
    bool is_cldc;
};

/* False if the frame does not come after the one before, or is outside the code. */
static bool put_head(struct sink *sink, uint8_t type, uint32_t pc)
{
    if (pc < sink->next_pc || pc > MAX_PC) {
        return false;
    }
    if (sink->is_cldc) {
        mb_set_u2(sink->place, pc);
        sink->place += 2;
    } else {
        sink->place = write_head(sink->place, type, pc - sink->next_pc);
    }
    sink->next_pc = pc + 1;
    return true;
}

static bool put_frame(struct sink *sink, const struct cf_frame *frame,
                      const struct cf_offsets *offsets)
{
    size_t size = (size_t)(frame->end - frame->body);

    if (!put_head(sink, frame->type, cf_offsets_target(offsets, frame->pc))) {
        return false;
    }
    memcpy(sink->place, frame->body, size);
    if ((frame->tags & 1U << CF_TYPE_UNINITIALIZED) != 0) {
        move_news(sink->place + (frame->locals - frame->body), frame->local_count, offsets);
        move_news(sink->place + (frame->stack - frame->body), frame->stack_count, offsets);
    }
    sink->place += size;
    return true;
}

/* Room for all: a short form can grow by 2 bytes. */
static uint8_t *reserve_frames(struct mb_buf *out, const struct cf_attribute *attribute,
                               uint32_t count, const struct cf_extra_frame *extra)
{
    size_t size = attribute->size + 2 * (size_t)count;

    if (extra != NULL) {
        size += FULL_HEAD_SIZE + extra->size;
    }
    return mb_buf_reserve(out, size + 2) ? out->bytes + out->size : NULL;
}

enum mb_status cf_frames_relocate(const struct cf_class *cls, const struct cf_attribute *attribute,
                                  const struct cf_offsets *offsets,
                                  const struct cf_extra_frame *extra, struct mb_buf *out,
                                  struct mb_error *err)
{
    struct cf_frames frames = cf_frames_of(cls, attribute);
    uint32_t count = (uint32_t)frames.left + (extra != NULL);
    struct sink sink = {.place = reserve_frames(out, attribute, frames.left, extra),
                        .is_cldc = frames.is_cldc};
    struct cf_frame frame;
    bool is_ordered = true;

    if (sink.place == NULL) {
        return mb_fail_memory(err);
    }
    if (count > UINT16_MAX) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET, "over 65535 stack map frames");
    }
    mb_set_u2(sink.place, count);
    sink.place += 2;
    while (is_ordered && cf_frames_next(&frames, &frame)) {
        is_ordered = put_frame(&sink, &frame, offsets);
    }
    if (is_ordered) {
        MB_TRY(cf_frames_check(&frames, err));
    }
    if (is_ordered && extra != NULL) {
        is_ordered = put_head(&sink, CF_FRAME_FULL, extra->pc);
        memcpy(sink.place, extra->bytes, extra->size);
        sink.place += extra->size;
    }
    if (!is_ordered) {
        return mb_fail(err, MB_BAD_CLASS, cf_cursor_offset(&frames.in),
                       "stack map frame outside the code");
    }
    out->size = (size_t)(sink.place - out->bytes);
    return MB_OK;
}
