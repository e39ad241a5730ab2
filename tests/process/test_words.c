#include "jvms/process/words.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/* Words, each followed by '|'. */
static void expect(const char *text, const char *wanted)
{
    struct proc_words launch = {0};
    char words[256] = "";
    const char *word;

    proc_words_split(&launch, text);
    for (size_t i = 0; (word = proc_words_item(&launch.words, i)) != NULL; i++) {
        (void)snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s|", word);
    }
    cr_expect_str_eq(words, wanted, "%s: %s, not %s", text, words, wanted);
    proc_words_finish(&launch);
}

Test(words, words_of_an_argument_file_are_split)
{
    expect("", "");
    expect(" \n", "");
    expect("--add-modules x\n\t-m a/b", "--add-modules|x|-m|a/b|");
    expect("# -m a/b\n-m c # d\n", "-m|c|");
    expect("'--module=g h'\"\" -cp \"a b\":c''d", "--module=g h|-cp|a b:cd|");
    expect("''", "|");
    expect("\"-m", "-m|");
}
