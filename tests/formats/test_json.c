#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(json, escapes_names)
{
    (void)sample_write(&format_json, &sample_report);
    sample_expect("{\"process\":\"p\\\"q\",\"pid\":77,\"closed\":false");
    sample_expect(
        "\n{\"topic\":\"note\",\"kind\":\"NAMES_FROM\",\"path\":\"something \\\"odd\\\"\","
        "\"sentence\":\"names are from something \\\"odd\\\"\"}");
    sample_expect("\"stack\":[{\"depth\":0,\"id\":1,\"name\":\"a.B;\\\"c\\\"\",\"count\":1,"
                  "\"ns\":1000000000,\"open\":true}");
    sample_expect(
        "{\"id\":3,\"name\":\"#3\",\"calls\":50,\"totalNs\":40000000,\"selfNs\":10000000}");
}

/* What the text says, as numbers: of the sample its answer, and of a pool what it did besides. */
Test(json, has_each_finding_with_its_numbers)
{
    struct answer_thread thread = sample_thread;
    struct answer_facts facts = sample_report;

    facts.threads.rows = &thread;
    thread.time.has_cpu = thread.time.knows_ready = true;
    thread.time.worked_ns = 700000000;
    thread.time.waited_ns = 200000000;
    thread.time.ready_ns = 100000000;
    (void)sample_write(&format_json, &facts);
    sample_expect(
        "\"findings\":[\n{\"topic\":\"answer\",\"kind\":\"POOL\",\"pool\":\"main;1\","
        "\"threads\":1,\"named\":true,\"state\":\"BUSY\",\"whole\":true,\"timeNs\":700000000,"
        "\"spanNs\":1000000000,\"all\":false,\"sharePercent\":60.0,\"own\":true,"
        "\"core\":{\"id\":2,\"name\":\"d.E\"},\"parts\":["
        "{\"kind\":\"BESIDES\",\"timeNs\":200000000,\"state\":\"WAITING\"},"
        "{\"kind\":\"BESIDES\",\"timeNs\":100000000,\"state\":\"READY\"}],"
        "\"sentence\":\"main;1 was busy for 700 ms of 1.00 s (");
}
