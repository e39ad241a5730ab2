#include "formats/fleet_labels.h"

#include "abi/identity.h"

void format_labels_add(struct format_labels *labels, int64_t key, int64_t value)
{
    if (labels->count < FORMAT_MOST_LABELS) {
        FormatPprof__Label *row = &labels->rows[labels->count++];
        format_pprof__label__init(row);
        row->has_key = row->has_str = true;
        row->key = key;
        row->str = value;
    }
}

void format_labels_add_app(struct format_labels *labels, struct mb_text app,
                           int64_t (*put)(void *context, const void *data, size_t size),
                           void *context)
{
    static const struct {
        const char *key;
        const char *label;
    } rows[] = {
        {"id", "app.id"},          {"version", "app.version"}, {"channel", "app.channel"},
        {"build", "app.build"},    {"maker", "device.maker"},  {"model", "device.model"},
        {"abi", "device.abi"},     {"os", "os.name"},          {"os_level", "os.level"},
        {"class", "device.class"},
    };

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        struct mb_text value = abi_identity_find(app, rows[i].key);
        if (value.size > 0) {
            int64_t key = put(context, rows[i].label, strlen(rows[i].label));
            format_labels_add(labels, key, put(context, value.data, value.size));
        }
    }
}

void format_labels_put(struct format_labels *labels, FormatPprof__Sample *sample)
{
    for (size_t i = 0; i < labels->count; i++) {
        labels->pointers[i] = &labels->rows[i];
    }
    sample->n_label = labels->count;
    sample->label = labels->pointers;
}
