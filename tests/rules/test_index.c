/* Rules found by how a name begins: what the chains hold is what a look at every rule finds. */

#include "rules/parts.h"
#include "tests/support/drawing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define RULES 300

/* A word of up to 5 letters out of two, so that many start each other. */
static struct mb_text draw_word(char *room)
{
    uint32_t size = draw(6);

    for (uint32_t i = 0; i < size; i++) {
        room[i] = draw(2) == 0 ? 'a' : 'b';
    }
    return (struct mb_text){room, size};
}

struct world {
    struct rule_pattern rules[RULES];
    struct rule_pattern *sorted[RULES];
    char keys[RULES][5];
    char groups[RULES][5];
    struct rule_index index;
};

static struct world world;

static void init(size_t count)
{
    world.index = (struct rule_index){world.sorted, count};
    for (size_t i = 0; i < count; i++) {
        world.rules[i] = (struct rule_pattern){.key = draw_word(world.keys[i]), .order = i};
        world.rules[i].group = draw_word(world.groups[i]);
        world.sorted[i] = &world.rules[i];
    }
    rule_index_sort(&world.index);
}

static bool may_match(const struct rule_pattern *rule, struct mb_text group, struct mb_text name)
{
    return mb_text_equal(rule->group, group) && mb_text_starts(name, rule->key);
}

/* Of one group: each rule whose key starts the name once, longest first, equal keys by their
 * order. */
static void expect_chain(const struct rule_index *part, struct mb_text group, struct mb_text name)
{
    const struct rule_pattern *last = NULL;
    size_t count = 0;
    size_t expected = 0;

    for (size_t i = 0; i < world.index.count; i++) {
        expected += may_match(&world.rules[i], group, name);
    }
    for (const struct rule_pattern *rule = rule_index_chain(part, name); rule != NULL;
         rule = rule->parent) {
        if (last != NULL) {
            cr_assert(rule->key.size <= last->key.size);
            cr_assert(rule->key.size < last->key.size || rule->order > last->order);
        }
        count += may_match(rule, group, name);
        last = rule;
    }
    cr_assert(eq(sz, count, expected), "%.*s in %.*s", (int)name.size, name.data, (int)group.size,
              group.data);
}

Test(index, chains_hold_what_may_match)
{
    char name[5];
    char group[5];

    init(RULES);
    for (size_t i = 0; i < 5000; i++) {
        struct mb_text wanted = draw_word(group);
        struct rule_index part = rule_index_group(&world.index, wanted);
        expect_chain(&part, wanted, draw_word(name));
    }
}

Test(index, groups_are_parts_that_hold_all_of_theirs)
{
    char group[5];

    init(RULES);
    for (size_t i = 0; i < 200; i++) {
        struct mb_text wanted = draw_word(group);
        struct rule_index part = rule_index_group(&world.index, wanted);
        size_t count = 0;
        for (size_t k = 0; k < RULES; k++) {
            count += mb_text_equal(world.rules[k].group, wanted);
        }
        cr_assert(eq(sz, part.count, count));
        for (size_t k = 0; k < part.count; k++) {
            cr_assert(mb_text_equal(part.sorted[k]->group, wanted));
        }
    }
}

Test(index, of_no_rules_finds_none)
{
    init(0);
    struct rule_index part = rule_index_group(&world.index, MB_TEXT("a"));
    cr_expect(eq(sz, part.count, 0));
    cr_expect(eq(ptr, rule_index_chain(&part, MB_TEXT("a")), NULL));
}

Test(index, a_name_before_all_keys_has_no_chain)
{
    struct rule_pattern rule = {.key = MB_TEXT_ROW("b")};
    struct rule_pattern *sorted[] = {&rule};
    struct rule_index index = {sorted, 1};

    rule_index_sort(&index);
    cr_expect(eq(ptr, rule_index_chain(&index, MB_TEXT("a")), NULL));
    cr_expect(eq(ptr, rule_index_chain(&index, MB_TEXT("b")), &rule));
    cr_expect(eq(ptr, rule_index_chain(&index, MB_TEXT("ba")), &rule));
}
