#include "issues/output.h"

static const struct issues_format *const formats[] = {&issues_text, &issues_json, &issues_csv};

const struct issues_format *issues_format_at(size_t number)
{
    return number < MB_COUNT(formats) ? formats[number] : NULL;
}

const struct answer_cause *issues_rows(const struct issues_page *page, size_t *count)
{
    *count = page->groups->rows.size / sizeof(struct answer_cause);
    *count = *count < page->top ? *count : page->top;
    return (const void *)page->groups->rows.bytes;
}
