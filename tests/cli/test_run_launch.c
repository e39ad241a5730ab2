#include "cli/run_launch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "@/tmp/test_run_launch.XXXXXX";
static struct cli_run_launch launch;

static void begin(void)
{
    (void)unsetenv("CLASSPATH");
    (void)unsetenv("JAVA_TOOL_OPTIONS");
    (void)unsetenv("JDK_JAVA_OPTIONS");
}

TestSuite(run_launch, .init = begin);

/* The items of a list, each followed by a space. */
static void expect_list(const struct mb_buf *list, const char *wanted, const char *what)
{
    char items[512] = "";
    const char *item;

    for (size_t i = 0; (item = cli_run_item(list, i)) != NULL; i++) {
        (void)snprintf(items + strlen(items), sizeof(items) - strlen(items), "%s ", item);
    }
    cr_expect_str_eq(items, wanted, "%s of %s: %s, not %s", what, path, items, wanted);
}

/* Words separated by spaces; what they name, as lists. */
static void expect(const char *text, const char *classes, const char *modules, const char *roots)
{
    char *copy = strdup(text);
    char *command[32] = {NULL};
    char *rest = copy;
    size_t count = 0;

    for (char *word = strtok_r(copy, " ", &rest); word != NULL && count < 31;
         word = strtok_r(NULL, " ", &rest)) {
        command[count++] = word;
    }
    cli_run_launch_read(&launch, command);
    expect_list(&launch.classes, classes, text);
    expect_list(&launch.modules, modules, text);
    expect_list(&launch.roots, roots, text);
    cli_run_launch_finish(&launch);
    free(copy);
}

Test(run_launch, options_name_classes_and_modules)
{
    expect("java -cp a.jar::b -cp=c Main", "a.jar b ", "", "");
    expect("java -classpath lib/* Main", "lib ", "", "");
    expect("java --class-path=a:b Main", "a b ", "", "");
    expect("java -jar a.jar", "a.jar ", "", "");
    expect("nice java -p m:n -m a.b/c.D", "", "m n ", "a.b ");
    expect("java --module-path=m --module=x", "", "m ", "x ");
    expect("java -p m --add-modules a,b -cp c Main", "c ", "m ", "a b ");
    expect("java -jar", ". ", "", "");
    expect("java -m", ". ", "", "");
    expect("java --classes=out -f x", ". ", "", "");
}

Test(run_launch, behind_the_program_words_are_its_own)
{
    expect("java -jar a.jar -cp b -m c/d", "a.jar ", "", "");
    expect("java -p m -m a/b -jar c.jar", "", "m ", "a ");
}

Test(run_launch, the_environment_says_so_too)
{
    cr_assert(eq(int, setenv("CLASSPATH", "x:y", 1), 0));
    expect("java Main", "x y ", "", "");
    expect("java -cp a Main", "a ", "", "");
    expect("./server", "x y ", "", "");
    cr_assert(eq(int, setenv("JAVA_TOOL_OPTIONS", " -Dq='a b' \"--module-path=m n\"", 1), 0));
    expect("java -m a/b", "", "m n ", "a ");
}

Test(run_launch, a_script_is_what_is_known_where_no_option_is)
{
    char shell[] = "sh";
    char script[] = "/proc/self/status";
    char *command[] = {shell, script, NULL};

    cli_run_launch_read(&launch, command);
    cr_expect_str_eq(launch.script, script);
    cli_run_launch_finish(&launch);
    cli_run_launch_read(&launch, (char *[]){shell, NULL});
    cr_expect_str_eq(launch.script, ".");
    cli_run_launch_finish(&launch);
}

static void expect_of_file(const char *text, const char *roots)
{
    char *words = NULL;
    FILE *file = fopen(path + 1, "w");

    cr_assert(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
    size_t room = sizeof("java ") + sizeof(path);
    words = malloc(room);
    cr_assert(ne(ptr, words, NULL));
    (void)snprintf(words, room, "java %s", path);
    expect(words, strcmp(roots, "") == 0 ? ". " : "", "", roots);
    free(words);
}

Test(run_launch, files_of_arguments_are_read, .timeout = 20)
{
    int fd = mkstemp(path + 1);

    cr_assert(ge(int, fd, 0));
    (void)close(fd);
    expect_of_file("--add-modules x -m a/b", "x a ");
    expect_of_file("# -m a/b\n--add-modules\n\t\"c/d\" -m e/f\n", "c/d e ");
    expect_of_file("'--module=g/h'", "g ");
    expect_of_file("-m", "");
    expect_of_file("\"-m", "");
    expect_of_file("", "");
    (void)unlink(path + 1);
    cr_assert(eq(int, mkfifo(path + 1, 0600), 0));
    char java[] = "java";
    cli_run_launch_read(&launch, (char *[]){java, path, NULL}); /* and does not wait for a writer */
    cli_run_launch_finish(&launch);
    (void)unlink(path + 1);
    cli_run_launch_read(&launch, (char *[]){java, path, NULL}); /* there is no such file */
    cli_run_launch_finish(&launch);
}

static void expect_version(const char *release, int wanted)
{
    char java[128];
    char *command[] = {java, NULL};
    FILE *file;

    (void)snprintf(java, sizeof(java), "%s/release", path + 1);
    file = fopen(java, "w");
    cr_assert(file != NULL && fputs(release, file) >= 0 && fclose(file) == 0);
    (void)snprintf(java, sizeof(java), "%s/bin/java", path + 1);
    cli_run_launch_read(&launch, command);
    cr_expect(launch.is_java);
    cr_expect(eq(int, launch.java_version, wanted), "%s", release);
    cli_run_launch_finish(&launch);
}

Test(run_launch, a_java_says_its_version_beside_it)
{
    char name[128];

    cr_assert(ne(ptr, mkdtemp(path + 1), NULL));
    (void)snprintf(name, sizeof(name), "%s/bin", path + 1);
    cr_assert(eq(int, mkdir(name, 0700), 0));
    (void)snprintf(name, sizeof(name), "%s/bin/java", path + 1);
    FILE *file = fopen(name, "w");
    cr_assert(file != NULL && fclose(file) == 0);
    expect_version("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n", 25);
    expect_version("JAVA_VERSION=\"1.8.0_402\"\n", 1);
    expect_version("JAVA_VERSION=\n", 0);
    expect_version("", 0);
    (void)unlink(name);
    (void)snprintf(name, sizeof(name), "%s/bin", path + 1);
    (void)rmdir(name);
    (void)snprintf(name, sizeof(name), "%s/release", path + 1);
    (void)unlink(name);
    (void)rmdir(path + 1);
}
