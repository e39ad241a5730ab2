#include "verifier_model.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char kinds[] = "IJFDA"; /* in the order of the opcodes' groups */

static struct model_value value_of(char kind)
{
    return (struct model_value){.kind = kind};
}

static struct model_value reference(const char *name)
{
    struct model_value value = {.kind = 'A'};

    assert(strlen(name) < sizeof(value.text));
    memcpy(value.text, name, strlen(name) + 1);
    return value;
}

static bool is_reference(char kind)
{
    return kind == 'A' || kind == 'N' || kind == 'T' || kind == 'U';
}

static bool is_wide(char kind)
{
    return kind == 'J' || kind == 'D';
}

/* A value of a field descriptor, which ends at the ';' or behind its letter. */
static struct model_value described(const char *descriptor)
{
    struct model_value value = {.kind = 'I'};

    if (descriptor[0] == 'L') {
        value = reference(descriptor + 1);
        *strchr(value.text, ';') = '\0';
    } else if (descriptor[0] == '[') {
        const char *end = descriptor + strspn(descriptor, "[");
        value = reference(descriptor);
        value.text[*end == 'L' ? strcspn(descriptor, ";") + 1 : (size_t)(end - descriptor) + 1] =
            '\0';
    } else if (strchr("JFD", descriptor[0]) != NULL) {
        value.kind = descriptor[0];
    }
    return value;
}

static size_t length_of(const char *descriptor)
{
    size_t brackets = strspn(descriptor, "[");

    return descriptor[brackets] == 'L' ? strcspn(descriptor, ";") + 1 : brackets + 1;
}

static void push(struct model *model, struct model_value value)
{
    model->stack[model->depth++] = value;
}

/* Pop a value of the kind: a letter of its own, 'A' for any initialized reference, or '?'. */
static bool pop(struct model *model, char kind, struct model_value *value)
{
    if (model->depth == 0) {
        return false;
    }
    *value = model->stack[model->depth - 1];
    bool fits = kind == '?' || value->kind == kind || (kind == 'A' && value->kind == 'N');
    model->depth -= fits;
    return fits;
}

/* Pop a row of kinds, the last letter first, then push one kind; '-' pushes nothing. */
static bool replace(struct model *model, const char *popped, char pushed)
{
    struct model_value value;

    for (size_t i = strlen(popped); i > 0; i--) {
        if (!pop(model, popped[i - 1], &value)) {
            return false;
        }
    }
    if (pushed != '-') {
        push(model, value_of(pushed));
    }
    return true;
}

/* --- locals --- */

static bool load(struct model *model, uint16_t local, char kind)
{
    struct model_value value = model->locals[local];
    bool fits = kind == 'A' ? is_reference(value.kind) : value.kind == kind;

    if (fits) {
        push(model, value);
    }
    return fits;
}

/* modifyLocalVariable: a pair that begins just before loses its value, what lay in the slots of the
 * new one goes, and of a pair that began in its last slot the rest is top as it is. */
static bool store(struct model *model, uint16_t local, char kind)
{
    struct model_value value;
    size_t size = is_wide(kind) ? 2 : 1;

    if (local + size > MODEL_LOCALS || !pop(model, '?', &value)) {
        return false;
    }
    if (kind == 'A' ? !is_reference(value.kind) && value.kind != 'R' : value.kind != kind) {
        return false;
    }
    if (local > 0 && is_wide(model->locals[local - 1].kind)) {
        model->locals[local - 1] = value_of('-');
    }
    model->locals[local] = value;
    if (size == 2) {
        model->locals[local + 1] = value_of('-');
    }
    return true;
}

static void substitute(struct model *model, struct model_value old, struct model_value new)
{
    for (size_t i = 0; i < MODEL_LOCALS; i++) {
        if (model->locals[i].kind == old.kind && model->locals[i].pc == old.pc) {
            model->locals[i] = new;
        }
    }
    for (size_t i = 0; i < model->depth; i++) {
        if (model->stack[i].kind == old.kind && model->stack[i].pc == old.pc) {
            model->stack[i] = new;
        }
    }
}

/* --- groups of instructions --- */

static bool step_array(struct model *model, uint8_t opcode)
{
    static const char elements[] = "IJFDAIII"; /* xaload and xastore have this order */
    struct model_value array;
    struct model_value value;

    if (opcode >= 0x4f) {
        return pop(model, elements[opcode - 0x4f], &value) && pop(model, 'I', &value) &&
               pop(model, 'A', &array);
    }
    if (!pop(model, 'I', &value) || !pop(model, 'A', &array)) {
        return false;
    }
    if (opcode != 0x32) {
        push(model, value_of(elements[opcode - 0x2e]));
        return true;
    }
    if (array.kind == 'N') {
        push(model, array);
        return true;
    }
    if (array.text[0] != '[' || strchr("[L", array.text[1]) == NULL) {
        return false;
    }
    push(model, described(array.text + 1));
    return true;
}

/* pop to swap: which forms there are for which sizes of the values on top (JVMS §6.5.dup_x1...). */
static bool step_stack(struct model *model, uint8_t opcode)
{
    static const char *const forms[][5] = {
        /* sizes of the values, the top last, and what is left of them in the end */
        {"1:"},
        {"11:", "2:"},
        {"1:00"},
        {"11:101"},
        {"111:2012", "21:101"},
        {"11:0101", "2:00"},
        {"111:12012", "12:101"},
        {"1111:230123", "112:2012", "211:12012", "22:101"},
        {"11:10"},
    };
    struct model_value values[4];

    for (size_t i = 0; i < 5 && forms[opcode - 0x57][i] != NULL; i++) {
        const char *form = forms[opcode - 0x57][i];
        size_t count = strcspn(form, ":");
        bool fits = count <= model->depth;
        for (size_t k = 0; fits && k < count; k++) {
            values[k] = model->stack[model->depth - count + k];
            fits = (form[k] == '2') == is_wide(values[k].kind);
        }
        if (fits) {
            model->depth -= count;
            for (const char *left = form + count + 1; *left != '\0'; left++) {
                push(model, values[*left - '0']);
            }
            return true;
        }
    }
    return false;
}

static bool step_math(struct model *model, uint8_t opcode)
{
    static const char *const conversions[] = {"IJ", "IF", "ID", "JI", "JF", "JD", "FI", "FJ",
                                              "FD", "DI", "DJ", "DF", "II", "II", "II"};
    static const char *const compared[] = {"JJ", "FF", "FF", "DD", "DD"};

    if (opcode >= 0x94) {
        return replace(model, compared[opcode - 0x94], 'I');
    }
    if (opcode >= 0x85) {
        const char *conversion = conversions[opcode - 0x85];
        return replace(model, (const char[]){conversion[0], '\0'}, conversion[1]);
    }
    char kind = opcode < 0x78 ? kinds[(opcode - 0x60) % 4] : kinds[opcode % 2];
    bool is_shift = opcode >= 0x78 && opcode < 0x7e;
    bool is_negation = opcode >= 0x74 && opcode < 0x78;
    const char popped[] = {kind, is_negation ? '\0' : is_shift ? 'I' : kind, '\0'};
    return replace(model, popped, kind);
}

static bool step_constant(struct model *model, const struct model_insn *insn)
{
    static const char pushed[] = "NIIIIIIIJJFFFDDII"; /* from aconst_null */

    if (insn->opcode < 0x12) {
        push(model, value_of(pushed[insn->opcode - 1]));
    } else {
        push(model, described(insn->descriptor));
    }
    return true;
}

static bool step_field(struct model *model, const struct model_insn *insn)
{
    struct model_value value;
    struct model_value field = described(insn->descriptor);
    bool is_write = insn->opcode == 0xb3 || insn->opcode == 0xb5;

    if (is_write && !pop(model, field.kind, &value)) {
        return false;
    }
    if (insn->opcode >= 0xb4 && !pop(model, 'A', &value)) {
        return false;
    }
    if (!is_write) {
        push(model, field);
    }
    return true;
}

static bool pop_arguments(struct model *model, const char *descriptor)
{
    char row[16] = "";
    size_t count = 0;
    struct model_value value;

    for (const char *next = descriptor + 1; *next != ')'; next += length_of(next)) {
        row[count++] = described(next).kind;
    }
    while (count > 0) {
        if (!pop(model, row[--count], &value)) {
            return false;
        }
    }
    return true;
}

static bool construct(struct model *model, const char *this_class)
{
    struct model_value object;

    if (!pop(model, '?', &object) || (object.kind != 'T' && object.kind != 'U')) {
        return false;
    }
    substitute(model, object, reference(object.kind == 'T' ? this_class : object.text));
    return true;
}

static bool step_invoke(struct model *model, const struct model_insn *insn, const char *this_class)
{
    struct model_value receiver;
    const char *result = strchr(insn->descriptor, ')') + 1;

    if (!pop_arguments(model, insn->descriptor)) {
        return false;
    }
    if (strcmp(insn->name, "<init>") == 0) {
        return insn->opcode == 0xb7 && construct(model, this_class);
    }
    bool has_receiver = insn->opcode != 0xb8 && insn->opcode != 0xba;
    if (has_receiver && !pop(model, 'A', &receiver)) {
        return false;
    }
    if (*result != 'V') {
        push(model, described(result));
    }
    return true;
}

static bool step_new(struct model *model, const struct model_insn *insn)
{
    struct model_value object = reference(insn->name);

    object.kind = 'U';
    object.pc = insn->pc;
    for (size_t i = 0; i < model->depth; i++) {
        if (model->stack[i].kind == 'U' && model->stack[i].pc == insn->pc) {
            return false;
        }
    }
    substitute(model, object, value_of('-'));
    push(model, object);
    return true;
}

static bool step_new_array(struct model *model, const struct model_insn *insn)
{
    static const char elements[] = "ZCFDBSIJ";
    struct model_value array = {.kind = 'A'};
    uint8_t dimensions = insn->opcode == 0xc5 ? insn->operand : 1;

    for (uint8_t i = 0; i < dimensions; i++) {
        if (!replace(model, "I", '-')) {
            return false;
        }
    }
    if (insn->opcode == 0xbc) {
        (void)snprintf(array.text, sizeof(array.text), "[%c", elements[insn->operand - 4]);
    } else if (insn->opcode == 0xbd) {
        bool is_array = insn->name[0] == '[';
        (void)snprintf(array.text, sizeof(array.text), is_array ? "[%s" : "[L%s;", insn->name);
    } else {
        array = reference(insn->name);
    }
    push(model, array);
    return true;
}

static bool step_object(struct model *model, const struct model_insn *insn)
{
    switch (insn->opcode) {
    case 0xbb:
        return step_new(model, insn);
    case 0xbe:
    case 0xc1:
        return replace(model, "A", 'I');
    case 0xc0:
        if (!replace(model, "A", '-')) {
            return false;
        }
        push(model, reference(insn->name));
        return true;
    case 0xbf:
    case 0xc2:
    case 0xc3:
        return replace(model, "A", '-');
    default:
        return step_new_array(model, insn);
    }
}

/* Where control stays in line: jumps that do not jump, jsr as seen by the subroutine. */
static bool step_jump(struct model *model, uint8_t opcode)
{
    if (opcode == 0xa8 || opcode == 0xc9) {
        return replace(model, "", 'R');
    }
    if (opcode == 0xa7 || opcode == 0xc8 || opcode == 0xa9 || opcode == 0xb1) {
        return true;
    }
    if (opcode >= 0xac && opcode <= 0xb0) {
        return replace(model, (const char[]){kinds[opcode - 0xac], '\0'}, '-');
    }
    bool is_pair = opcode >= 0x9f && opcode <= 0xa6;
    bool is_reference_test = opcode == 0xa5 || opcode == 0xa6 || opcode >= 0xc6;
    return replace(model, is_reference_test ? (is_pair ? "AA" : "A") : (is_pair ? "II" : "I"), '-');
}

bool model_step(struct model *model, const struct model_insn *insn, const char *this_class)
{
    uint8_t opcode = insn->opcode;

    if (opcode == 0x00) {
        return true;
    } else if (opcode <= 0x14) {
        return step_constant(model, insn);
    } else if (opcode <= 0x2d) {
        return load(model, insn->local, kinds[opcode < 0x1a ? opcode - 0x15 : (opcode - 0x1a) / 4]);
    } else if (opcode <= 0x35 || (opcode >= 0x4f && opcode <= 0x56)) {
        return step_array(model, opcode);
    } else if (opcode <= 0x4e) {
        return store(model, insn->local,
                     kinds[opcode < 0x3b ? opcode - 0x36 : (opcode - 0x3b) / 4]);
    } else if (opcode <= 0x5f) {
        return step_stack(model, opcode);
    } else if (opcode == 0x84) {
        return model->locals[insn->local].kind == 'I';
    } else if (opcode <= 0x98) {
        return step_math(model, opcode);
    } else if (opcode <= 0xb1 || opcode >= 0xc6) {
        return step_jump(model, opcode);
    } else if (opcode <= 0xb5) {
        return step_field(model, insn);
    } else if (opcode <= 0xba) {
        return step_invoke(model, insn, this_class);
    }
    return step_object(model, insn);
}

size_t model_stack_slots(const struct model *model)
{
    size_t slots = 0;

    for (size_t i = 0; i < model->depth; i++) {
        slots += is_wide(model->stack[i].kind) ? 2 : 1;
    }
    return slots;
}
