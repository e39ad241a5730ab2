/* What to do where recording has cost much. */

#include "formats/text.h"

#include "answer/cost.h"

#include <inttypes.h>
#include <string.h>

/* For a shell: as it is, or in quotes. */
static void put_argument(struct mb_buf *out, struct mb_text text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+./:=@%,";
    bool is_plain = text.size > 0;

    for (size_t i = 0; i < text.size; i++) {
        is_plain = is_plain && text.data[i] != '\0' && strchr(plain, text.data[i]) != NULL;
    }
    if (is_plain) {
        mb_buf_put(out, text.data, text.size);
        return;
    }
    mb_buf_put_u1(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        mb_buf_put(out, text.data[i] == '\'' ? "'\\''" : &text.data[i],
                   text.data[i] == '\'' ? 4 : 1);
    }
    mb_buf_put_u1(out, '\'');
}

void format_put_advice(const struct answer_facts *facts, const struct format_look *look,
                       struct mb_buf *out)
{
    struct mb_buf command = {0};

    if (!answer_costs_much(&facts->clock, &facts->threads) || facts->trace_path.size == 0) {
        return;
    }
    format_put_heading(look, out, "Less overhead: list what costs most to record, for --blacklist");
    mb_buf_put_string(&command, "methodbeat tune ");
    put_argument(&command, facts->trace_path);
    if (facts->map_path.size > 0) {
        mb_buf_put_string(&command, " --method-map ");
        put_argument(&command, facts->map_path);
    }
    mb_buf_put_string(out, "  ");
    mb_buf_put_printable(out, (struct mb_text){(char *)command.bytes, command.size});
    mb_buf_put_string(out, " > hot.txt\n");
    mb_buf_finish_part(out, &command);
}
