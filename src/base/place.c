#include "base/place.h"

struct mb_place mb_place_cut(struct mb_text *frame)
{
    size_t open = mb_text_after_last(*frame, '(');
    struct mb_text place = mb_text_from(*frame, open);
    size_t number = mb_text_after_last(place, ':');
    uint64_t line;

    if (open < 2 || number < 2 || !mb_text_ends(place, MB_TEXT(")"))) {
        return (struct mb_place){0};
    }
    struct mb_text digits = {place.data + number, place.size - number - 1};
    if (!mb_text_to_number(digits, UINT32_MAX, &line)) {
        return (struct mb_place){0};
    }
    frame->size = open - 1;
    return (struct mb_place){{place.data, number - 1}, (uint32_t)line};
}
