#include "issues/output.h"

static const struct issues_format *const formats[] = {
    [ISSUES_TEXT] = &issues_text, [ISSUES_JSON] = &issues_json, [ISSUES_CSV] = &issues_csv};

const struct issues_format *issues_format_at(size_t number)
{
    return number < MB_COUNT(formats) ? formats[number] : NULL;
}

const struct answer_cause *issues_rows(const struct issues_page *page, size_t *count)
{
    *count = MB_VEC_COUNT(&page->groups->rows);
    *count = *count < page->top ? *count : page->top;
    return page->groups->rows.items;
}
