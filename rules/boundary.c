#include "rules/boundary.h"

const char *rule_boundary_name(enum rule_boundary boundary)
{
    static const char *const names[] = {
        [RULE_BOUNDARY_NONE] = "",
        [RULE_BOUNDARY_MAIN] = "main",
        [RULE_BOUNDARY_INITIALIZER] = "initializer",
        [RULE_BOUNDARY_SERIALIZATION] = "serialization",
        [RULE_BOUNDARY_NATIVE] = "native",
        [RULE_BOUNDARY_OVERRIDES] = "overrides",
        [RULE_BOUNDARY_UNKNOWN] = "unknown-supertype",
        [RULE_BOUNDARY_LAMBDA] = "lambda",
        [RULE_BOUNDARY_CALLED] = "called",
        [RULE_BOUNDARY_ANNOTATED] = "annotated",
    };

    return names[boundary];
}

bool rule_has_natives(const struct cf_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if ((cls->methods[i].access_flags & CF_ACC_NATIVE) != 0) {
            return true;
        }
    }
    return false;
}

enum rule_boundary rule_boundary_of(const struct cf_class *cls, const struct cf_member *method,
                                    bool has_natives)
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
    struct mb_text name = cf_member_name(cls, method);
    struct mb_text descriptor = cf_member_descriptor(cls, method);

    for (size_t i = 0; i < MB_COUNT(known); i++) {
        if (mb_text_equal(name, known[i].name) && mb_text_equal(descriptor, known[i].descriptor)) {
            return known[i].boundary;
        }
    }
    return has_natives ? RULE_BOUNDARY_NATIVE : RULE_BOUNDARY_NONE;
}

bool rule_annotation_may_call(struct mb_text type)
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
