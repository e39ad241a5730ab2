#define _XOPEN_SOURCE 700 /* nftw */
#include "inputs.h"

#include "class_builder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void check(bool is_good, const char *what)
{
    if (!is_good) {
        perror(what);
        abort();
    }
}

static void add_method(struct class_builder *builder, struct mb_text text)
{
    uint8_t code[] = {0xb8, 0, 0, 0xb1}; /* invokestatic, return */
    char name[64];
    bool is_empty = text.data[0] == '-';

    (void)snprintf(name, sizeof(name), "%.*s", (int)text.size - is_empty, text.data + is_empty);
    if (!is_empty) {
        mb_set_u2(code + 1, class_builder_add_method_ref(builder, "other/Other", "call", "()V"));
    }
    class_builder_add_method(builder, &(struct built_method){.name = name,
                                                             .descriptor = "()V",
                                                             .access_flags = 9,
                                                             .code = code + (is_empty ? 3 : 0),
                                                             .code_size = is_empty ? 1 : 4});
}

void inputs_build_class(const char *text, struct mb_buf *out)
{
    struct mb_text rest = mb_text_of(text);
    struct mb_text super_name = mb_text_split(&rest, ' ');
    struct mb_text name = mb_text_split(&super_name, ':');
    struct class_builder builder;
    char names[2][64];

    (void)snprintf(names[0], sizeof(names[0]), "%.*s", (int)name.size, name.data);
    (void)snprintf(names[1], sizeof(names[1]), "%.*s", (int)super_name.size, super_name.data);
    class_builder_init(&builder, names[0], super_name.size > 0 ? names[1] : "java/lang/Object");
    while (rest.size > 0) {
        add_method(&builder, mb_text_split(&rest, ' '));
    }
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

/* path and all folders above it below root. */
static void make_folders(char *path, size_t root_size)
{
    for (char *slash = path + root_size; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
}

static void write_class(const struct inputs *inputs, const struct input_class *cls)
{
    struct mb_text name = mb_text_of(cls->text);
    struct mb_buf bytes = {0};
    char path[256];

    name.size = strcspn(cls->text, ": ");
    (void)snprintf(path, sizeof(path), "%s/%s/%.*s.class", inputs->root, cls->folder,
                   (int)name.size, name.data);
    make_folders(path, strlen(inputs->root));
    inputs_build_class(cls->text, &bytes);
    FILE *file = fopen(path, "wb");
    check(file != NULL && fwrite(bytes.bytes, 1, bytes.size, file) == bytes.size, path);
    check(fclose(file) == 0, path);
    mb_buf_finish(&bytes);
}

static void add_folder(struct inputs *inputs, const char *folder)
{
    char path[96];

    (void)snprintf(path, sizeof(path), "%s/%s", inputs->root, folder);
    for (size_t i = 0; i < inputs->count; i++) {
        if (strcmp(inputs->paths[i], path) == 0) {
            return;
        }
    }
    check(inputs->count < MAX_INPUTS, "too many folders");
    memcpy(inputs->paths[inputs->count++], path, sizeof(path));
}

void inputs_open(struct inputs *inputs, const struct input_class *classes, size_t count,
                 unsigned jobs)
{
    const char *paths[MAX_INPUTS];

    (void)snprintf(inputs->root, sizeof(inputs->root), "/tmp/methodbeat-inputs-XXXXXX");
    check(mkdtemp(inputs->root) != NULL, inputs->root);
    for (size_t i = 0; i < count; i++) {
        write_class(inputs, &classes[i]);
        add_folder(inputs, classes[i].folder);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        paths[i] = inputs->paths[i];
    }
    check(plan_crew_init(&inputs->crew, jobs, NULL) == MB_OK, "crew");
    check(plan_sources_open(&inputs->sources, paths, inputs->count, inputs->crew.workers, NULL) ==
              MB_OK,
          "open");
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

void inputs_close(struct inputs *inputs)
{
    plan_sources_finish(&inputs->sources);
    plan_crew_finish(&inputs->crew);
    (void)nftw(inputs->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
