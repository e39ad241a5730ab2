#include "empty.h"

void empty_i(uint32_t id)
{
    (void)id;
}

void empty_o(uint32_t id)
{
    (void)id;
}
