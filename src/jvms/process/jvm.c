#include "jvms/process/attachment.h"

#include "abi/attach.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 5000 /* for its answer to the signal */
#define STEP_MS 20
#define POST_MS 1000
#define ASK_MS 100                 /* between two looks at what the agent does */
#define PACE_NS (10 * MB_NS_PER_S) /* until its pace tells how long all classes take */
#define ANSWER_SIZE 4096

/* What the child is to do. */
struct question {
    const struct proc_foreign *jvm;
    const char *library;
    const char *options;
    bool is_posted; /* the answer is not awaited */
};

/* ---- Its socket ---- */

static void put_socket(const struct proc_foreign *jvm, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    (void)snprintf(address->sun_path, sizeof(address->sun_path), "/tmp/.java_pid%d",
                   (int)jvm->own_pid);
}

/* *is_there if it is, and is the JVM's: any user may create that name. */
static enum mb_status find_socket(const struct proc_foreign *jvm, bool *is_there,
                                  struct mb_error *err)
{
    struct sockaddr_un address;
    struct stat info;

    put_socket(jvm, &address);
    *is_there = lstat(address.sun_path, &info) == 0;
    return !*is_there || (S_ISSOCK(info.st_mode) && info.st_uid == geteuid())
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "%s is another user's: it cannot be asked",
                         address.sun_path);
}

/* Where the JVM looks for a wish to attach: its working folder, then its /tmp. */
static void put_wish(const struct proc_foreign *jvm, size_t place, char path[64])
{
    (void)snprintf(path, 64, "%s.attach_pid%d", place == 0 ? "" : "/tmp/", (int)jvm->own_pid);
}

static bool make_wish(const struct proc_foreign *jvm)
{
    char path[64];

    for (size_t place = 0; place < 2; place++) {
        put_wish(jvm, place, path);
        (void)unlink(path);
        int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (fd >= 0) {
            (void)close(fd);
            return true;
        }
    }
    return false;
}

static void remove_wish(const struct proc_foreign *jvm)
{
    char path[64];

    for (size_t place = 0; place < 2; place++) {
        put_wish(jvm, place, path);
        (void)unlink(path);
    }
}

/* HotSpot opens its socket when a thread of its sees the signal. */
static enum mb_status await_socket(const struct proc_foreign *jvm, struct mb_error *err)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    bool is_there;

    MB_TRY(find_socket(jvm, &is_there, err));
    if (is_there) {
        return MB_OK;
    }
    if (access("/tmp", W_OK) != 0) {
        return mb_fail_errno(err, "it cannot open its socket in /tmp");
    }
    if (!make_wish(jvm)) {
        return mb_fail_errno(err, "cannot leave a request in its folders");
    }
    (void)kill(jvm->pid, SIGQUIT);
    enum mb_status status = MB_OK;
    for (int waited = 0; status == MB_OK && !is_there && waited < WAIT_MS; waited += STEP_MS) {
        (void)nanosleep(&step, NULL);
        status = find_socket(jvm, &is_there, err);
    }
    remove_wish(jvm);
    return status != MB_OK || is_there
               ? status
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "it did not answer within %d s", WAIT_MS / 1000);
}

/* ---- In the child ---- */

static enum mb_status send_question(const struct question *question, int fd, struct mb_error *err)
{
    const char *const words[] = {"1", "load", question->library, "true", question->options};
    struct sockaddr_un address;
    struct mb_buf bytes = {0};

    put_socket(question->jvm, &address);
    for (size_t i = 0; i < MB_COUNT(words); i++) {
        mb_buf_put(&bytes, words[i], strlen(words[i]) + 1);
    }
    enum mb_status status = mb_buf_check(&bytes, err);
    if (status == MB_OK &&
        (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)) {
        status = mb_fail_errno(err, "cannot connect to its socket");
    }
    if (status == MB_OK) {
        status = mb_file_write_all(fd, bytes.bytes, bytes.size, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

static void read_answer(int fd, struct mb_buf *out)
{
    ssize_t got = 1;

    while (out->size < ANSWER_SIZE && got != 0 && mb_buf_reserve(out, ANSWER_SIZE)) {
        got = read(fd, out->bytes + out->size, ANSWER_SIZE);
        if (got < 0 && errno != EINTR) {
            break;
        }
        out->size += got > 0 ? (size_t)got : 0;
    }
}

/* As who we are: a signal would make it print its threads when it goes on. */
static enum mb_status check_running(void *context, struct proc_foreign_work *work,
                                    struct mb_error *err)
{
    const struct question *question = context;

    (void)work;
    return proc_foreign_is_stopped(question->jvm)
               ? mb_fail(err, MB_IO, MB_NO_OFFSET, PROC_FOREIGN_STOPPED)
               : MB_OK;
}

static enum mb_status ask_jvm(void *context, struct proc_foreign_work *work, struct mb_error *err)
{
    const struct question *question = context;
    bool is_there = false;

    if (question->is_posted) {
        remove_wish(question->jvm);
        MB_TRY(find_socket(question->jvm, &is_there, err));
        MB_TRY(is_there ? MB_OK : mb_fail(err, MB_IO, MB_NO_OFFSET, "no attach was pending"));
    } else {
        MB_TRY(await_socket(question->jvm, err));
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    enum mb_status status = send_question(question, fd, err);
    if (status == MB_OK && !question->is_posted) {
        read_answer(fd, &work->out);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

/* ---- The answer ---- */

static enum mb_status judge_code(uint64_t code, const char *options, struct mb_error *err)
{
    static const struct {
        uint64_t code;
        const char *words;
    } rows[] = {
        {ABI_ATTACH_OTHER_BUILD, "another build of the agent is in this JVM"},
        {ABI_ATTACH_NO_TRACE, "its trace cannot be created in its /tmp"},
        {ABI_ATTACH_NO_CLASS, "the JVM changed none of the classes that are wanted"},
        {ABI_ATTACH_NOT_ATTACHED, "no attach is recording this JVM"},
        {ABI_ATTACH_NO_MATCH, "--focus matches no class that it has loaded"},
    };

    if (code == ABI_ATTACH_DONE) {
        return MB_OK;
    }
    if (code >= ABI_ATTACH_BAD_SETTING) {
        struct mb_text rest = mb_text_of(options);
        struct mb_text setting = mb_text_split(&rest, ',');
        for (; code > ABI_ATTACH_BAD_SETTING && rest.size > 0; code--) {
            setting = mb_text_split(&rest, ',');
        }
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "'%.*s' is no setting of the recorder",
                       (int)setting.size, setting.data);
    }
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        if (rows[i].code == code) {
            return mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", rows[i].words);
        }
    }
    return mb_fail(err, MB_IO, MB_NO_OFFSET,
                   "the JVM did not take the agent: what it prints itself says why");
}

/* All lines in one, with "it" for the path that the user knows. */
static enum mb_status repeat_words(struct mb_text words, const char *library, struct mb_error *err)
{
    struct mb_text path = mb_text_of(library);
    struct mb_buf said = {0};

    for (size_t i = 0; i < words.size; i++) {
        struct mb_text rest = mb_text_from(words, i);
        if (mb_text_starts(rest, path)) {
            mb_buf_put_string(&said, "it");
            i += path.size - 1;
        } else if (rest.data[0] == '\n') {
            mb_buf_put_string(&said, rest.size > 1 ? "; " : "");
        } else {
            mb_buf_put_u1(&said, (uint8_t)rest.data[0]);
        }
    }
    (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "the JVM did not take the agent: %.*s",
                  said.failed ? 0 : (int)said.size, (const char *)said.bytes);
    mb_buf_finish(&said);
    return MB_IO;
}

/* "0\nreturn code: 0\n", from JDK 9 on; before, the second line is "0". All else is a refusal: from
 * JDK 21 on it comes as "0\n" and a text. */
static enum mb_status take_code(struct mb_text answer, const char *library, uint64_t *code,
                                struct mb_error *err)
{
    const struct mb_text key = MB_TEXT("return code: ");
    struct mb_text rest = answer;
    struct mb_text first = mb_text_split(&rest, '\n');
    struct mb_text second = rest;
    struct mb_text line = mb_text_split(&second, '\n');

    if (first.size == 0) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the JVM hung up");
    }
    bool has_key = mb_text_starts(line, key);
    line = has_key ? mb_text_from(line, key.size) : line;
    bool is_number = (has_key || (second.size == 0 && line.size > 0)) &&
                     mb_text_to_number(line, UINT32_MAX, code);
    if (!is_number && !has_key) {
        return repeat_words(rest.size > 0 ? rest : answer, library, err);
    }
    if (!is_number || (*code == ABI_ATTACH_DONE && !mb_text_is(first, "0"))) {
        *code = ABI_ATTACH_FAILED;
    }
    return MB_OK;
}

/* ---- Until it is done ---- */

struct going {
    const struct proc_foreign *jvm;
    const struct proc_jvm_request *request;
    int64_t since_ns;
    int64_t begun_ns; /* with the classes of now: those of an attach before come out first */
    struct proc_progress at;
};

static enum mb_status ask_question(const struct going *going, struct question *question,
                                   enum proc_jvm_outcome *outcome, uint64_t *code,
                                   struct mb_error *err)
{
    const struct proc_jvm_request *request = going->request;
    bool is_given_up;
    const struct proc_foreign_errand errand = {
        .before = check_running,
        .run = ask_jvm,
        .context = question,
        .most_ms = going->at.ns == 0 ? request->most_ms : WAIT_MS,
        .is_asking = true,
        .wait = request->wait,
        .at = going->at,
        .is_given_up = &is_given_up,
    };
    struct mb_buf answer = {0};
    enum mb_status status = proc_foreign_run(going->jvm, &errand, &answer, NULL, err);

    *outcome = status == MB_OK ? PROC_JVM_ANSWERED
               : is_given_up   ? PROC_JVM_PENDING
                               : PROC_JVM_NOT_ASKED;
    if (status == MB_OK) {
        status = take_code((struct mb_text){(const char *)answer.bytes, answer.size},
                           request->library, code, err);
    }
    mb_buf_finish(&answer);
    return status;
}

static enum mb_status ask_number(const struct going *going, const char *options, uint64_t *code,
                                 struct mb_error *err)
{
    struct question question = {going->jvm, going->request->library, options, false};
    enum proc_jvm_outcome outcome;

    *code = ABI_ATTACH_DONE;
    return ask_question(going, &question, &outcome, code, err);
}

/* Classes of which the time is up, or will be. */
static enum mb_status check_pace(const struct going *going, struct mb_error *err)
{
    const struct proc_progress *at = &going->at;
    int64_t most_ns = going->request->most_ms * MB_NS_PER_MS;
    int64_t ns = mb_clock_now_ns() - going->begun_ns;
    const char *advice = going->request->advice;
    bool is_slow = advice != NULL && at->done > 0 && ns > PACE_NS &&
                   (double)ns / (double)at->done * (double)at->all > (double)most_ns;

    if (at->ns < most_ns && !is_slow) {
        return MB_OK;
    }
    return mb_fail(err, MB_IO, MB_NO_OFFSET,
                   "%" PRIu64 " of %" PRIu64 " classes have probes after %d s%s", at->done, at->all,
                   (int)(at->ns / MB_NS_PER_S), advice != NULL ? advice : "");
}

static void note_progress(struct going *going, uint64_t done, uint64_t all)
{
    struct proc_progress *at = &going->at;

    if (all != at->all || done < at->done) {
        going->begun_ns = mb_clock_now_ns();
    }
    at->done = done;
    at->all = all;
}

/* *code is the result, or ABI_ATTACH_GOING and more. */
static enum mb_status look_again(struct going *going, uint64_t *code, struct mb_error *err)
{
    const struct timespec step = {.tv_nsec = ASK_MS * MB_NS_PER_MS};
    uint64_t all = ABI_ATTACH_DONE;

    (void)nanosleep(&step, NULL);
    going->at.ns = mb_clock_now_ns() - going->since_ns;
    if (going->request->wait != NULL) {
        going->request->wait(&going->at);
    }
    MB_TRY(mb_check_interrupt(err));
    MB_TRY(check_pace(going, err));
    MB_TRY(ask_number(going, ABI_ATTACH_ASK_ALL, &all, err));
    MB_TRY(ask_number(going, ABI_ATTACH_ASK_DONE, code, err));
    if (*code >= ABI_ATTACH_GOING && all >= ABI_ATTACH_GOING) {
        note_progress(going, *code - ABI_ATTACH_GOING, all - ABI_ATTACH_GOING);
    }
    return MB_OK;
}

enum mb_status proc_jvm_load(const struct proc_foreign *jvm, const struct proc_jvm_request *request,
                             enum proc_jvm_outcome *outcome, struct mb_error *err)
{
    struct going going = {.jvm = jvm, .request = request, .since_ns = mb_clock_now_ns()};
    struct question question = {jvm, request->library, request->options, false};
    uint64_t code = ABI_ATTACH_DONE;
    enum mb_status status = ask_question(&going, &question, outcome, &code, err);

    while (status == MB_OK && code >= ABI_ATTACH_GOING) {
        *outcome = going.at.all > 0 ? PROC_JVM_GOING : PROC_JVM_PENDING;
        status = look_again(&going, &code, err);
    }
    if (status == MB_OK) {
        *outcome = PROC_JVM_ANSWERED;
        status = judge_code(code, request->options, err);
    }
    return status;
}

bool proc_jvm_post(const struct proc_foreign *jvm, const struct proc_jvm_request *request)
{
    struct question question = {
        .jvm = jvm, .library = request->library, .options = request->options, .is_posted = true};
    const struct proc_foreign_errand errand = {
        .run = ask_jvm, .context = &question, .most_ms = POST_MS, .is_last = true};
    struct mb_error err;

    return proc_foreign_run(jvm, &errand, NULL, NULL, &err) == MB_OK;
}
