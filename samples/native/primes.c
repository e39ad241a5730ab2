/* A C program that calls the recorder: ids and names are its own, in methodMapping.txt beside
 * it. */
#include <methodbeat.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    MAIN = 1,
    COUNT,
    IS_PRIME,
};

static bool is_prime(unsigned n)
{
    beat_i(IS_PRIME);
    bool prime = n > 1;
    for (unsigned d = 2; prime && d * d <= n; d++) {
        prime = n % d != 0;
    }
    beat_o(IS_PRIME);
    return prime;
}

static void *count(void *from)
{
    unsigned found = 0;

    beat_i(COUNT);
    for (unsigned n = *(unsigned *)from; n < *(unsigned *)from + 20000; n++) {
        found += is_prime(n);
    }
    *(unsigned *)from = found;
    beat_o(COUNT);
    return NULL;
}

int main(int argc, char **argv)
{
    struct beat_options options;
    pthread_t thread;
    unsigned low = 1000000;
    unsigned high = 4000000000;

    beat_options_init(&options);
    options.file = argc > 1 ? argv[1] : "primes.mbtrace";
    options.mapping = argc > 2 ? argv[2] : NULL;
    options.threads = BEAT_THREADS_ALL;
    (void)beat_start(&options); /* recorded or not, it runs */
    beat_i(MAIN);
    (void)pthread_create(&thread, NULL, count, &high);
    (void)count(&low);
    (void)pthread_join(thread, NULL);
    beat_o(MAIN);
    beat_stop();
    (void)printf("%u and %u primes\n", low, high);
    return 0;
}
