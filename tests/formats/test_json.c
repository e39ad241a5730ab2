#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(json, escapes_names)
{
    (void)sample_write(&format_json, &sample_report);
    sample_expect("{\"process\":\"p\\\"q\",\"pid\":77,\"closed\":false");
    sample_expect("\"notes\":[\"names are from something \\\"odd\\\"\"]");
    sample_expect("\"stack\":[{\"depth\":0,\"id\":1,\"name\":\"a.B;\\\"c\\\"\",\"count\":1,"
                  "\"ns\":1000000000,\"open\":true}");
    sample_expect(
        "{\"id\":3,\"name\":\"#3\",\"calls\":50,\"totalNs\":40000000,\"selfNs\":10000000}");
}
