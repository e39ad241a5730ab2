/* Leaves a trace with marks: "early" is lapped, "late" has 5 calls of method 2 behind it, "gone"
 * was taken back.
 *
 * usage: marked FILE */

#include "recorder/methodbeat.h"

#include <unistd.h>

#define RING_WORDS 1024

static void call(uint32_t id, int times)
{
    for (int i = 0; i < times; i++) {
        beat_i(id);
        beat_o(id);
    }
}

int main(int argc, char **argv)
{
    struct beat_options options;

    if (argc != 2) {
        return 2;
    }
    beat_options_init(&options);
    options.main_words = RING_WORDS;
    options.main_thread = (int32_t)gettid();
    if (!beat_start(&options)) {
        return 1;
    }
    call(1, 3);
    (void)beat_mark(BEAT_SELF, "early");
    call(1, RING_WORDS);
    struct beat_mark late = beat_mark(BEAT_SELF, "late");
    struct beat_mark gone = beat_mark(BEAT_SELF, "gone");
    call(2, 5);
    beat_unmark(&gone);
    beat_stop();
    return late.slot != 0 && beat_dump(argv[1]) ? 0 : 1;
}
