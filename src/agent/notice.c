#include "agent/notice.h"

#include "agent/jvm.h"
#include "agent/tally.h"
#include "base/buf.h"
#include "base/text.h"
#include "jni/exceptions.h"
#include "recorder/layout.h"
#include "recorder/sections.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[PATH_MAX]; /* of the file; "": without run */
static bool is_undecided;   /* its jar is not named: its main class may be */

static void put_note(struct mb_buf *out, enum abi_run_note kind, const char *text)
{
    mb_buf_put_u1(out, (unsigned)kind);
    mb_buf_put(out, text, strlen(text) + 1);
}

/* By one call, so that notes of several threads do not mix. The folder is gone once run has read
 * it. */
void agent_notice_put(enum abi_run_note kind, const char *text)
{
    struct mb_buf note = {0};
    int fd = path[0] != '\0'
                 ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)
                 : -1;

    put_note(&note, kind, text);
    if (fd >= 0 && !note.failed) {
        (void)!write(fd, note.bytes, note.size);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    mb_buf_finish(&note);
}

static void hear_of_file(const char *trace, const char *failure)
{
    char here[PATH_MAX] = "";
    struct mb_buf whole = {0};

    if (trace == NULL) {
        agent_notice_put(ABI_RUN_FAILED, failure);
        return;
    }
    if (trace[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        mb_buf_printf(&whole, "%s/", here);
    }
    mb_buf_put(&whole, trace, strlen(trace) + 1);
    agent_notice_put(ABI_RUN_TRACE, whole.failed ? trace : (const char *)whole.bytes);
    mb_buf_finish(&whole);
}

/* ---- Which program ---- */

/* The first word of a command; the path of a jar may have spaces. */
static size_t program_size(const char *command)
{
    size_t first = strcspn(command, " ");

    for (const char *at = strstr(command, ".jar"); at != NULL; at = strstr(at + 1, ".jar")) {
        size_t size = (size_t)(at - command) + strlen(".jar");
        char *jar = strndup(command, size);
        bool is_it = jar != NULL && strchr(" ", command[size]) != NULL && access(jar, F_OK) == 0;
        free(jar);
        if (is_it) {
            return size;
        }
    }
    return first;
}

/* What the launcher of java says; for free(). NULL: it starts no program, or this JVM has another
 * launcher. */
static char *find_program(void)
{
    jvmtiEnv *jvmti = agent_jvm.jvmti;
    char *command = NULL;

    if ((*jvmti)->GetSystemProperty(jvmti, "sun.java.command", &command) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    char *program = strndup(command, program_size(command));
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)command);
    return program;
}

/* By its whole name, or without folders and the name of a module. */
static bool is_among(const char *program, const char *only)
{
    const char *slash = strrchr(program, '/');
    struct mb_text rest = mb_text_of(only);

    while (rest.size > 0) {
        struct mb_text name = mb_text_split(&rest, ':');
        char *glob = strndup(name.data, name.size);
        bool is_it = glob != NULL && (fnmatch(glob, program, 0) == 0 ||
                                      (slash != NULL && fnmatch(glob, slash + 1, 0) == 0));
        free(glob);
        if (is_it) {
            return true;
        }
    }
    return false;
}

/* ---- Life ---- */

/* Before Java has read its environment. */
static void pass_on(void)
{
    const char *children = getenv(ABI_RUN_CHILDREN);

    if (children != NULL) {
        (void)setenv(ABI_RUN_TOOL_OPTIONS, children, 1);
        (void)unsetenv(ABI_RUN_CHILDREN);
    }
}

void agent_notice_start(void)
{
    const char *folder = getenv(ABI_RUN_FOLDER);

    if (path[0] != '\0') {
        return; /* loaded twice: a run around the run has its agent in the variable */
    }
    if (folder != NULL) {
        int size = snprintf(path, sizeof(path), "%s/%ld", folder, (long)getpid());
        path[(size_t)size < sizeof(path) ? (size_t)size : 0] = '\0';
        beat_layout_listener = hear_of_file;
    }
    char *program = find_program();
    agent_notice_put(ABI_RUN_LOADED, program != NULL ? program : "");
    free(program);
    pass_on();
}

static bool skip_unless(bool is_wanted)
{
    if (!is_wanted) {
        agent_notice_put(ABI_RUN_SKIPPED, "");
        path[0] = '\0'; /* there is no more to say */
    }
    return is_wanted;
}

bool agent_notice_wants(const char *only)
{
    char *program = only != NULL ? find_program() : NULL;
    bool is_named = only == NULL || (program != NULL && is_among(program, only));

    is_undecided =
        !is_named && program != NULL && mb_text_ends(mb_text_of(program), MB_TEXT(".jar"));
    free(program);
    return is_undecided || skip_unless(is_named);
}

static jobject call(JNIEnv *env, jobject object, const char *method, const char *descriptor, ...)
{
    jclass type = (*env)->GetObjectClass(env, object);
    jmethodID id = (*env)->GetMethodID(env, type, method, descriptor);
    va_list arguments;
    jobject result = NULL;

    va_start(arguments, descriptor);
    if (id != NULL) {
        result = (*env)->CallObjectMethodV(env, object, id, arguments);
    }
    va_end(arguments);
    return jni_forget_exception(env) ? NULL : result;
}

/* Main-Class of the jar's manifest; NULL if it cannot be had. The JVM frees the references. */
static jstring find_main_class(JNIEnv *env, const char *jar)
{
    jclass type = (*env)->FindClass(env, "java/util/jar/JarFile");
    jmethodID make =
        type != NULL ? (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;)V") : NULL;
    jobject file =
        make != NULL ? (*env)->NewObject(env, type, make, (*env)->NewStringUTF(env, jar)) : NULL;
    bool has_failed = jni_forget_exception(env) || file == NULL;
    jobject found =
        has_failed ? NULL : call(env, file, "getManifest", "()Ljava/util/jar/Manifest;");

    if (found != NULL) {
        found = call(env, found, "getMainAttributes", "()Ljava/util/jar/Attributes;");
    }
    return found == NULL ? NULL
                         : call(env, found, "getValue", "(Ljava/lang/String;)Ljava/lang/String;",
                                (*env)->NewStringUTF(env, "Main-Class"));
}

bool agent_notice_wants_main(JNIEnv *env, const char *only)
{
    char *program = is_undecided ? find_program() : NULL;
    jstring name = program != NULL ? find_main_class(env, program) : NULL;
    const char *text = name != NULL ? (*env)->GetStringUTFChars(env, name, NULL) : NULL;
    bool is_wanted = !is_undecided || (text != NULL && is_among(text, only));

    if (text != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, text);
    }
    free(program);
    return skip_unless(is_wanted);
}

void agent_notice_end(void)
{
    uint64_t counts[ABI_WEAVING_COUNT];
    struct mb_buf text = {0};

    beat_weaving_read(counts);
    mb_buf_printf(&text, "%" PRIu64, agent_tally_seen());
    for (size_t i = 0; i < MB_COUNT(counts); i++) {
        mb_buf_printf(&text, " %" PRIu64, counts[i]);
    }
    mb_buf_put_u1(&text, '\0');
    agent_notice_put(ABI_RUN_ENDED, text.failed ? "" : (const char *)text.bytes);
    mb_buf_finish(&text);
}
