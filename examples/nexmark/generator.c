#include "generator.h"

#include <stdio.h>
#include <string.h>

nexmark_texts nexmark_text_tables;

const char *const nexmark_first_names[11] = {"Peter", "Paul",  "Luke",  "John",   "Saul",  "Vicky",
                                             "Kate",  "Julie", "Sarah", "Deiter", "Walter"};
const char *const nexmark_last_names[9] = {"Shultz", "Abrams", "Spencer", "White", "Bartels",
                                           "Walton", "Smith",  "Jones",   "Noris"};
const char *const nexmark_cities[10] = {"Phoenix",  "Los Angeles", "San Francisco", "Boise",
                                        "Portland", "Bend",        "Redmond",       "Seattle",
                                        "Kent",     "Cheyenne"};
const char *const nexmark_states[6] = {"AZ", "CA", "ID", "OR", "WA", "WY"};

void nexmark_texts_init(void) {
    static const char *const hot_channels[4] = {"Google", "Facebook", "Baidu", "Apple"};
    static const char url_pattern[] = "https://www.nexmark.com/...../...../...../item.htm?query=1";
    enum { FIRST_FOLDER = 24, FOLDER_BYTES = 5 };
    nexmark_texts *t = &nexmark_text_tables;
    for (uint64_t i = 0; i < NEXMARK_POOL_BYTES; i++)
        t->pool[i] = (char)('a' + nexmark_low(nexmark_mix(0x5EED + i * NEXMARK_GOLDEN_RATIO), 26));
    for (uint64_t i = 0; i < NEXMARK_CHANNELS; i++) {
        nexmark_text *channel = &t->channels[i], *url = &t->urls[i];
        int len = i < 4 ? snprintf(channel->bytes, sizeof channel->bytes, "%s", hot_channels[i])
                        : snprintf(channel->bytes, sizeof channel->bytes, "channel-%d", (int)i - 4);
        channel->len = (uint32_t)len;
        const char *k = t->pool + nexmark_low(nexmark_mix(0xC0FFEE + i * NEXMARK_GOLDEN_RATIO),
                                              NEXMARK_POOL_SLICES);
        memcpy(url->bytes, url_pattern, sizeof url_pattern);
        for (int folder = 0; folder < 3; folder++)
            memcpy(url->bytes + FIRST_FOLDER + folder * (FOLDER_BYTES + 1),
                   k + folder * FOLDER_BYTES, FOLDER_BYTES);
        url->len = sizeof url_pattern - 1;
    }
}
