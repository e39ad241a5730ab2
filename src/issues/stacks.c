#include "issues/stacks.h"

#include "abi/issue.h"

#include <inttypes.h>
#include <stdio.h>

/* Without what stands in front of each. */
static struct mb_text frame_of(struct mb_text line)
{
    static const struct mb_text leads[] = {MB_TEXT_ROW("|*"), MB_TEXT_ROW(ABI_STACK_LEAD)};

    for (size_t i = 0; i < MB_COUNT(leads); i++) {
        line = mb_text_trim(line);
        line = mb_text_from(line, mb_text_starts(line, leads[i]) ? leads[i].size : 0);
    }
    return line;
}

void issues_cut_stack(struct mb_buf *frames)
{
    static const struct mb_text told = MB_TEXT_ROW(ISSUES_CUT_STACK "\n");
    struct mb_text kept = {(const char *)frames->bytes, ISSUES_MOST_TEXT - told.size};

    if (frames->size > ISSUES_MOST_TEXT) {
        frames->size = mb_text_after_last(kept, '\n');
        mb_buf_put(frames, told.data, told.size);
    }
}

/* CLASS:METHOD(LINE), where a line below 0 means that it is unknown. False if it is something else.
 */
static bool put_matrix(struct mb_buf *out, struct mb_text frame)
{
    size_t open = mb_text_after_last(frame, '(');
    struct mb_text method = {frame.data, open > 0 ? open - 1 : 0};
    size_t colon = mb_text_after_last(method, ':');
    struct mb_text number = mb_text_from(frame, open);
    uint64_t line;

    if (colon < 2 || !mb_text_ends(number, MB_TEXT(")"))) {
        return false;
    }
    number.size--;
    bool is_negative = mb_text_starts(number, MB_TEXT("-"));
    if (!mb_text_to_number(mb_text_from(number, is_negative), UINT32_MAX, &line)) {
        return false;
    }
    mb_buf_put(out, frame.data, colon - 1);
    mb_buf_put_u1(out, '.');
    mb_buf_put(out, method.data + colon, method.size - colon);
    if (!is_negative) {
        mb_buf_printf(out, "(Unknown Source:%" PRIu64 ")", line);
    }
    return true;
}

static void put_frame(struct mb_buf *out, struct mb_text frame)
{
    if (frame.size > 0) {
        if (!put_matrix(out, frame)) {
            mb_buf_put(out, frame.data, frame.size);
        }
        mb_buf_put_u1(out, '\n');
    }
}

void issues_put_stack(struct mb_buf *out, struct mb_text stack)
{
    while (stack.size > 0) {
        put_frame(out, frame_of(mb_text_split(&stack, '\n')));
    }
}

/* "#00 pc 00000000000d1c88  PATH (FUNCTION+8) (BuildId: 00)" */
static void put_native(struct mb_buf *out, struct mb_text line)
{
    for (unsigned i = 0; i < 3; i++) {
        (void)mb_text_split(&line, ' ');
    }
    line = mb_text_trim(line);
    size_t plus = mb_text_after_last(line, '+');
    mb_buf_put(out, line.data, plus > 0 ? plus - 1 : line.size);
    mb_buf_put_string(out, plus > 0 ? ")\n" : "\n");
}

static bool is_main(struct mb_text header, struct mb_text process, int64_t pid)
{
    char id[40];
    struct mb_text name = mb_text_from(header, 1);

    (void)snprintf(id, sizeof(id), " sysTid=%" PRId64, pid);
    name = mb_text_split(&name, '"');
    return mb_text_is(name, "main") || mb_text_contains(header, MB_TEXT(" tid=1 ")) ||
           mb_text_ends(header, mb_text_of(id)) || (name.size > 0 && mb_text_equal(name, process));
}

/* Of a text of several processes, as of /data/anr, where that of ours begins. */
static struct mb_text skip_others(struct mb_text threads, int64_t pid)
{
    struct mb_text rest = threads;
    char head[40];

    (void)snprintf(head, sizeof(head), "----- pid %" PRId64 " at ", pid);
    while (rest.size > 0) {
        if (mb_text_starts(mb_text_split(&rest, '\n'), mb_text_of(head))) {
            return rest;
        }
    }
    return threads;
}

void issues_put_main_stack(struct mb_buf *out, struct mb_text threads, struct mb_text process,
                           int64_t pid)
{
    bool is_inside = false;

    threads = skip_others(threads, pid);
    while (threads.size > 0) {
        struct mb_text line = mb_text_trim(mb_text_split(&threads, '\n'));
        if (line.size == 0 && is_inside) {
            return;
        }
        if (mb_text_starts(line, MB_TEXT("\""))) {
            is_inside = is_main(line, process, pid);
        } else if (is_inside && mb_text_starts(line, MB_TEXT(ABI_STACK_LEAD))) {
            put_frame(out, frame_of(line));
        } else if (is_inside && mb_text_starts(line, MB_TEXT("native: #"))) {
            put_native(out, mb_text_from(line, 8));
        } else if (is_inside && mb_text_starts(line, MB_TEXT("#"))) {
            put_native(out, line);
        }
    }
}
