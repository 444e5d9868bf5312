#include "bench/events.h"

#include <stdio.h>

bench_texts bench_text_tables;

const char *const bench_first_names[11] = {"Peter", "Paul",  "Luke",  "John",   "Saul",  "Vicky",
                                           "Kate",  "Julie", "Sarah", "Deiter", "Walter"};
const char *const bench_last_names[9] = {"Shultz", "Abrams", "Spencer", "White", "Bartels",
                                         "Walton", "Smith",  "Jones",   "Noris"};
const char *const bench_cities[10] = {"Phoenix",  "Los Angeles", "San Francisco", "Boise",
                                      "Portland", "Bend",        "Redmond",       "Seattle",
                                      "Kent",     "Cheyenne"};
const char *const bench_states[6] = {"AZ", "CA", "ID", "OR", "WA", "WY"};

void bench_texts_init(void) {
    static const char *const hot_channels[4] = {"Google", "Facebook", "Baidu", "Apple"};
    bench_texts *t = &bench_text_tables;
    for (uint64_t i = 0; i < BENCH_POOL_BYTES; i++)
        t->pool[i] = (char)('a' + bench_low(bench_mix(0x5EED + i * BENCH_GOLDEN_RATIO), 26));
    for (uint64_t i = 0; i < BENCH_CHANNELS; i++) {
        bench_text *channel = &t->channels[i], *url = &t->urls[i];
        int len = i < 4 ? snprintf(channel->bytes, sizeof channel->bytes, "%s", hot_channels[i])
                        : snprintf(channel->bytes, sizeof channel->bytes, "channel-%d", (int)i - 4);
        channel->len = (uint32_t)len;
        const char *k =
            t->pool + bench_low(bench_mix(0xC0FFEE + i * BENCH_GOLDEN_RATIO), BENCH_POOL_SLICES);
        len = snprintf(url->bytes, sizeof url->bytes,
                       "https://www.nexmark.com/%.5s/%.5s/%.5s/item.htm?query=1", k, k + 5, k + 10);
        url->len = (uint32_t)len;
    }
}
