#include "monitor/identity_sums.h"

#include "base/clock.h"

#define GROWTH 1.02
#define POWERS 10u

/* A binary search for the power of GROWTH, without the mathematical library. */
uint32_t mon_bucket_of(int64_t ns)
{
    const double ms = (double)ns / (double)MB_NS_PER_MS;
    double powers[POWERS] = {GROWTH};
    double reached = 1;
    uint32_t bucket = 0;

    for (uint32_t i = 1; i < POWERS; i++) {
        powers[i] = powers[i - 1] * powers[i - 1];
    }
    for (uint32_t i = POWERS; i-- > 0;) {
        if (reached * powers[i] <= ms) {
            reached *= powers[i];
            bucket += 1u << i;
        }
    }
    return bucket < MON_BUCKET_COUNT ? bucket : MON_BUCKET_COUNT - 1;
}

static void add_time(struct mon_sum *sum, int64_t ns)
{
    sum->count++;
    sum->buckets[mon_bucket_of(ns)]++;
}

static struct mon_sum *find_scene(struct mon_sums *sums, uint32_t scene)
{
    for (uint32_t i = 0; i < sums->scene_count; i++) {
        if (sums->scenes[i].scene == scene) {
            return &sums->scenes[i];
        }
    }
    if (sums->scene_count == MON_SUM_SCENES) {
        sums->scenes[MON_SUM_SCENES - 1].scene = 0;
        return &sums->scenes[MON_SUM_SCENES - 1];
    }
    sums->scenes[sums->scene_count].scene = scene;
    return &sums->scenes[sums->scene_count++];
}

void mon_sums_add_frame(struct mon_sums *sums, uint32_t scene, const struct mon_paced *paced)
{
    struct mon_sum *sum = find_scene(sums, scene);

    sum->late_ns += paced->late_ns;
    add_time(sum, paced->time_ns);
}

void mon_sums_add_start(struct mon_sums *sums, uint32_t kind, int64_t ns)
{
    if (kind < MON_START_COUNT) {
        add_time(&sums->starts[kind], ns);
    }
}

static void put_buckets(const struct mon_sum *sum, struct mb_json *json)
{
    mb_json_count(json, "n", sum->count);
    mb_json_open(json, "buckets", "[");
    for (uint32_t i = 0; i < MON_BUCKET_COUNT; i++) {
        if (sum->buckets[i] > 0) {
            mb_json_open(json, NULL, "[");
            mb_json_count(json, NULL, i);
            mb_json_count(json, NULL, sum->buckets[i]);
            mb_json_close(json, "]");
        }
    }
    mb_json_close(json, "]");
}

static void put_frames(const struct mon_sums *sums, struct mb_json *json,
                       const struct mon_names *names)
{
    mb_json_open(json, "frames", "[");
    for (uint32_t i = 0; i < sums->scene_count; i++) {
        mb_json_open(json, NULL, "{");
        mb_json_text(json, "scene", mon_name(names, sums->scenes[i].scene));
        mb_json_number(json, "late_ms", sums->scenes[i].late_ns / MB_NS_PER_MS);
        put_buckets(&sums->scenes[i], json);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

void mon_sums_put(const struct mon_sums *sums, struct mb_json *json, const struct mon_names *names)
{
    static const char *const kinds[MON_START_COUNT] = {"cold", "warm", "hot"};

    put_frames(sums, json, names);
    mb_json_open(json, "starts", "[");
    for (uint32_t i = 0; i < MON_START_COUNT; i++) {
        if (sums->starts[i].count > 0) {
            mb_json_open(json, NULL, "{");
            mb_json_string(json, "kind", kinds[i]);
            put_buckets(&sums->starts[i], json);
            mb_json_close(json, "}");
        }
    }
    mb_json_close(json, "]");
}
