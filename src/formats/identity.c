#include "formats/identity.h"

#include "abi/identity.h"

void format_put_identity(struct mb_json *json, struct mb_text app)
{
    if (app.size > 0) {
        mb_json_open(json, ABI_IDENTITY_NAME, "{");
        abi_identity_put(json, app);
        mb_json_close(json, "}");
    }
}

void format_say_identity(struct mb_buf *out, struct mb_text app,
                         void (*put)(struct mb_buf *out, struct mb_text text))
{
    static const struct {
        const char *key;
        const char *behind; /* what it follows, after a space */
    } words[] = {{"id", ""}, {"version", "id"}, {"model", ""}, {"os", ""}, {"os_level", "os"}};

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        struct mb_text value = abi_identity_find(app, words[i].key);
        if (value.size > 0) {
            bool follows = abi_identity_find(app, words[i].behind).size > 0;
            mb_buf_put_string(out, follows ? " " : ", ");
            put(out, value);
        }
    }
}
