/* What one walk over a body tells, and where it stops. */

#include "rules/parts.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ROLE(name) RULE_ROLE(CF_ROLE_##name)

struct shape_case {
    const char *what;
    uint8_t code[24];
    uint32_t size;
    uint32_t allowed_calls;
    uint32_t final;
    uint32_t roles;
    uint32_t call_count;
    bool is_whole;
};

static const struct shape_case shape_cases[] = {
    {"a return", {0xb1}, 1, 0, 0, ROLE(RETURN), 0, true},
    {"a getter",
     {0x2a, 0xb4, 0, 1, 0xb0},
     5,
     0,
     0,
     ROLE(LOAD) | ROLE(FIELD_READ) | ROLE(RETURN),
     0,
     true},
    {"stops at a call too many", {0xb8, 0, 1, 0x00, 0xb1}, 5, 0, 0, ROLE(INVOKE), 1, false},
    {"one call is allowed", {0xb8, 0, 1, 0xb1}, 4, 1, 0, ROLE(INVOKE) | ROLE(RETURN), 1, true},
    {"and no more", {0xb8, 0, 1, 0xb8, 0, 1, 0xb1}, 7, 1, 0, ROLE(INVOKE), 2, false},
    {"a jump forward", {0xa7, 0, 3, 0xb1}, 4, 0, 0, ROLE(GOTO) | ROLE(RETURN), 0, true},
    {"a jump to itself is a loop", {0xa7, 0, 0}, 3, 0, 0, ROLE(GOTO) | RULE_LOOP, 0, true},
    {"a jump back is a loop",
     {0x00, 0xa7, 0xff, 0xff},
     4,
     0,
     0,
     ROLE(NOP) | ROLE(GOTO) | RULE_LOOP,
     0,
     true},
    {"so is a switch that goes back", /* at 0: default -> 12, 1 -> 0 */
     {0xab, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0xb1},
     21,
     0,
     0,
     ROLE(SWITCH) | ROLE(RETURN) | RULE_LOOP,
     0,
     true},
    {"a switch forward is none",
     {0xab, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0xb1},
     21,
     0,
     0,
     ROLE(SWITCH) | ROLE(RETURN),
     0,
     true},
    {"stops behind a final role",
     {0x2a, 0xc2, 0x2a, 0xb1},
     4,
     0,
     ROLE(MONITOR),
     ROLE(LOAD) | ROLE(MONITOR),
     0,
     false},
    {"a final role at the end",
     {0x2a, 0xc2},
     2,
     0,
     ROLE(MONITOR),
     ROLE(LOAD) | ROLE(MONITOR),
     0,
     true},
    {"wide is what it widens",
     {0xc4, 0x15, 0, 1, 0xac},
     5,
     0,
     0,
     ROLE(LOAD) | ROLE(RETURN),
     0,
     true},
    {"malformed code is not whole", {0x00, 0xfe, 0xb1}, 3, 0, 0, ROLE(NOP), 0, false},
};

EACH_ROW(shape, bodies, shape_cases);

ParameterizedTest(size_t *row, shape, bodies)
{
    const struct shape_case *c = &shape_cases[*row];
    struct cf_code code = {.bytes = c->code, .size = c->size};
    struct rule_shape shape = rule_shape_of(&code, 0, c->allowed_calls, c->final);

    cr_expect(eq(u32, shape.roles, c->roles), "%s", c->what);
    cr_expect(eq(u32, shape.call_count, c->call_count), "%s", c->what);
    cr_expect(eq(int, shape.is_whole, c->is_whole), "%s", c->what);
    cr_expect(shape.is_measured);
}
