#include "rules/boundary.h"

#include "classfile/tables.h"
#include "rules/platform.h"

const char *rule_boundary_name(enum rule_boundary boundary)
{
    static const char *const names[] = {
        [RULE_BOUNDARY_NONE] = "",
        [RULE_BOUNDARY_MAIN] = "main",
        [RULE_BOUNDARY_INITIALIZER] = "initializer",
        [RULE_BOUNDARY_SERIALIZATION] = "serialization",
        [RULE_BOUNDARY_NATIVE] = "native",
        [RULE_BOUNDARY_OVERRIDES] = "overrides",
        [RULE_BOUNDARY_ANNOTATED] = "annotated",
        [RULE_BOUNDARY_LAMBDA] = "lambda",
        [RULE_BOUNDARY_UNKNOWN] = "unknown-supertype",
        [RULE_BOUNDARY_CALLED] = "called",
    };

    return names[boundary];
}

/* It has native methods, which may call any of its others. */
static bool has_natives(const struct cf_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if ((cls->methods[i].access_flags & CF_ACC_NATIVE) != 0) {
            return true;
        }
    }
    return false;
}

/* A method that the JVM or the libraries of the JDK call by name. */
static enum rule_boundary find_known(struct mb_text name, struct mb_text descriptor)
{
    static const struct {
        struct mb_text name;
        struct mb_text descriptor;
        enum rule_boundary boundary;
    } known[] = {
        {MB_TEXT_ROW("<clinit>"), MB_TEXT_ROW("()V"), RULE_BOUNDARY_INITIALIZER},
        {MB_TEXT_ROW("main"), MB_TEXT_ROW("([Ljava/lang/String;)V"), RULE_BOUNDARY_MAIN},
        {MB_TEXT_ROW("main"), MB_TEXT_ROW("()V"), RULE_BOUNDARY_MAIN},
        {MB_TEXT_ROW("premain"),
         MB_TEXT_ROW("(Ljava/lang/String;Ljava/lang/instrument/Instrumentation;)V"),
         RULE_BOUNDARY_MAIN},
        {MB_TEXT_ROW("agentmain"),
         MB_TEXT_ROW("(Ljava/lang/String;Ljava/lang/instrument/Instrumentation;)V"),
         RULE_BOUNDARY_MAIN},
        {MB_TEXT_ROW("readObject"), MB_TEXT_ROW("(Ljava/io/ObjectInputStream;)V"),
         RULE_BOUNDARY_SERIALIZATION},
        {MB_TEXT_ROW("writeObject"), MB_TEXT_ROW("(Ljava/io/ObjectOutputStream;)V"),
         RULE_BOUNDARY_SERIALIZATION},
        {MB_TEXT_ROW("readObjectNoData"), MB_TEXT_ROW("()V"), RULE_BOUNDARY_SERIALIZATION},
        {MB_TEXT_ROW("readResolve"), MB_TEXT_ROW("()Ljava/lang/Object;"),
         RULE_BOUNDARY_SERIALIZATION},
        {MB_TEXT_ROW("writeReplace"), MB_TEXT_ROW("()Ljava/lang/Object;"),
         RULE_BOUNDARY_SERIALIZATION},
        {MB_TEXT_ROW("$deserializeLambda$"),
         MB_TEXT_ROW("(Ljava/lang/invoke/SerializedLambda;)Ljava/lang/Object;"),
         RULE_BOUNDARY_SERIALIZATION},
    };

    for (size_t i = 0; i < MB_COUNT(known); i++) {
        if (mb_text_equal(name, known[i].name) && mb_text_equal(descriptor, known[i].descriptor)) {
            return known[i].boundary;
        }
    }
    return RULE_BOUNDARY_NONE;
}

/* --- annotations --- */

/* True if a framework may call methods with this annotation; most annotations of libraries are for
 * compilers. */
static bool may_call(struct mb_text type)
{
    static const struct mb_text called[] = {
        MB_TEXT_ROW("Landroidx/annotation/Keep;"),
        MB_TEXT_ROW("Landroid/support/annotation/Keep;"),
    };
    static const struct mb_text silent[] = {
        MB_TEXT_ROW("Ljava/lang/Deprecated;"),
        MB_TEXT_ROW("Ljava/lang/SafeVarargs;"),
        MB_TEXT_ROW("Ljava/lang/FunctionalInterface;"),
        MB_TEXT_ROW("Landroid/annotation/"),
        MB_TEXT_ROW("Landroidx/annotation/"),
        MB_TEXT_ROW("Landroid/support/annotation/"),
        MB_TEXT_ROW("Lcom/google/common/annotations/"),
        MB_TEXT_ROW("Lcom/google/errorprone/annotations/"),
        MB_TEXT_ROW("Lcom/google/j2objc/annotations/"),
        MB_TEXT_ROW("Ledu/umd/cs/findbugs/annotations/"),
        MB_TEXT_ROW("Ljavax/annotation/Nonnull;"),
        MB_TEXT_ROW("Ljavax/annotation/Nullable;"),
        MB_TEXT_ROW("Ljavax/annotation/CheckForNull;"),
        MB_TEXT_ROW("Ljavax/annotation/CheckReturnValue;"),
        MB_TEXT_ROW("Ljavax/annotation/ParametersAreNonnullByDefault;"),
        MB_TEXT_ROW("Ljavax/annotation/Generated;"),
        MB_TEXT_ROW("Ljavax/annotation/concurrent/"),
        MB_TEXT_ROW("Ljavax/annotation/processing/"),
        MB_TEXT_ROW("Ljdk/internal/"),
        MB_TEXT_ROW("Lkotlin/"),
        MB_TEXT_ROW("Lorg/checkerframework/"),
        MB_TEXT_ROW("Lorg/codehaus/mojo/animal_sniffer/"),
        MB_TEXT_ROW("Lorg/apiguardian/"),
        MB_TEXT_ROW("Lorg/jetbrains/annotations/"),
        MB_TEXT_ROW("Lorg/jspecify/annotations/"),
        MB_TEXT_ROW("Lscala/"),
    };

    for (size_t i = 0; i < MB_COUNT(called); i++) {
        if (mb_text_equal(type, called[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < MB_COUNT(silent); i++) {
        if (mb_text_starts(type, silent[i])) {
            return false;
        }
    }
    return true;
}

static bool has_calling_one(const struct cf_class *cls, const struct cf_attribute *attribute)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);

    for (uint16_t left = cf_read_u2(&in); left > 0 && cf_cursor_left(&in) >= 2; left--) {
        struct mb_text type = cf_pool_utf8(&cls->pool, mb_get_u2(in.next));
        if (type.size > 0 && may_call(type)) {
            return true;
        }
        if (!cf_annotation_skip(&in)) {
            return false;
        }
    }
    return false;
}

static bool is_annotated(const struct cf_class *cls, const struct cf_member *method)
{
    struct cf_attributes it = cf_member_attributes(cls, method, CF_IN_METHOD);
    struct cf_attribute attribute;

    while (method->has_annotations && cf_attributes_next(&it, &attribute)) {
        struct mb_text name = cf_pool_utf8(&cls->pool, attribute.name_index);
        if ((mb_text_is(name, "RuntimeVisibleAnnotations") ||
             mb_text_is(name, "RuntimeInvisibleAnnotations")) &&
            has_calling_one(cls, &attribute)) {
            return true;
        }
    }
    return false;
}

/* --- method handles --- */

static void mark_named(const struct cf_class *cls, const struct cf_ref *ref, uint8_t *boundaries)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (boundaries[i] == RULE_BOUNDARY_NONE &&
            mb_text_equal(cf_member_name(cls, &cls->methods[i]), ref->name) &&
            mb_text_equal(cf_member_descriptor(cls, &cls->methods[i]), ref->descriptor)) {
            boundaries[i] = RULE_BOUNDARY_LAMBDA;
        }
    }
}

/* What the class hands out of its own: the bodies of its lambdas. */
static void mark_handles(const struct cf_class *cls, uint8_t *boundaries)
{
    for (uint16_t index = 1; index < cls->pool.count; index++) {
        const uint8_t *handle = cf_pool_entry(&cls->pool, index, CF_TAG_METHOD_HANDLE);
        struct cf_ref ref;
        if (handle != NULL && handle[0] >= RULE_FIRST_METHOD_KIND &&
            cf_pool_ref(&cls->pool, mb_get_u2(handle + 1), &ref) &&
            mb_text_equal(ref.class_name, cls->name)) {
            mark_named(cls, &ref, boundaries);
        }
    }
}

/* --- a class --- */

static enum rule_boundary find_reason(const struct cf_class *cls, const struct cf_member *method)
{
    const uint16_t direct = CF_ACC_STATIC | CF_ACC_PRIVATE;
    struct mb_text name = cf_member_name(cls, method);
    struct mb_text descriptor = cf_member_descriptor(cls, method);
    enum rule_boundary known = find_known(name, descriptor);

    if (known != RULE_BOUNDARY_NONE) {
        return known;
    }
    if ((method->access_flags & direct) == 0 &&
        rule_platform_knows(rule_method_key(name, descriptor))) {
        return RULE_BOUNDARY_OVERRIDES;
    }
    return is_annotated(cls, method) ? RULE_BOUNDARY_ANNOTATED : RULE_BOUNDARY_NONE;
}

uint8_t *rule_boundaries_of(const struct cf_class *cls, struct mb_arena *arena)
{
    uint8_t *boundaries = MB_NEW_ARRAY(arena, uint8_t, (size_t)cls->method_count + 1);
    enum rule_boundary all = has_natives(cls) ? RULE_BOUNDARY_NATIVE : RULE_BOUNDARY_NONE;

    for (uint16_t i = 0; boundaries != NULL && i < cls->method_count; i++) {
        enum rule_boundary reason = find_reason(cls, &cls->methods[i]);
        boundaries[i] = (uint8_t)(reason != RULE_BOUNDARY_NONE ? reason : all);
    }
    if (boundaries != NULL) {
        mark_handles(cls, boundaries);
    }
    return boundaries;
}
