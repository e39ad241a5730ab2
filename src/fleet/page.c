#include "fleet/page.h"

#include "base/json.h"

/* JSON within a script element, which no text in it may end. */
static void put_escaped(struct mb_buf *out, const struct mb_buf *json)
{
    for (size_t i = 0; i < json->size; i++) {
        if (json->bytes[i] == '<') {
            mb_buf_put_string(out, "\\u003c");
        } else {
            mb_buf_put_u1(out, json->bytes[i]);
        }
    }
}

static enum mb_status put_part(struct mb_json *json, const struct fleet_engine *engine,
                               const struct fleet_question *question,
                               const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct fleet_answer answer = {.format = FLEET_AS_JSON};
    enum mb_status status = fleet_ask(engine, question, blanks, &answer, err);

    mb_json_key(json, question->name);
    mb_buf_put(json->out, answer.text.bytes, answer.text.size);
    mb_buf_finish_part(json->out, &answer.text);
    return status;
}

static enum mb_status put_data(struct mb_buf *data, const struct fleet_engine *engine,
                               const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct mb_json json = {.out = data};
    struct fleet_blanks asked = *blanks;
    enum mb_status status = MB_OK;

    mb_json_open(&json, NULL, "{");
    mb_json_string(&json, "day", blanks->day);
    mb_json_string(&json, "old", blanks->old_release);
    mb_json_string(&json, "new", blanks->new_release);
    mb_json_string(&json, "where", blanks->where != NULL ? blanks->where : "");
    mb_json_open(&json, "answers", "{");
    for (size_t i = 0; status == MB_OK && i < fleet_question_count; i++) {
        const struct fleet_question *question = &fleet_questions[i];
        asked.top = question->page_rows > 0 ? (uint64_t)question->page_rows : blanks->top;
        if (question->page_rows >= 0) {
            status = put_part(&json, engine, question, &asked, err);
        }
    }
    mb_json_close(&json, "}");
    mb_json_end(&json);
    return status == MB_OK ? mb_buf_check(data, err) : status;
}

enum mb_status fleet_put_page(struct mb_buf *out, const struct fleet_engine *engine,
                              const struct fleet_blanks *blanks, struct mb_error *err)
{
    struct mb_buf data = {0};
    enum mb_status status = put_data(&data, engine, blanks, err);

    mb_buf_put_string(out, fleet_page_head);
    put_escaped(out, &data);
    mb_buf_put_string(out, fleet_page_tail);
    mb_buf_finish_part(out, &data);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}
