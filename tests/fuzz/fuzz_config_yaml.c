/* Any bytes as a configuration file, in both syntaxes, and as a value of a list and a map: they
 * are taken or refused, and what was taken can be read. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "config/config_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(const raski_configuration *cfg) {
    for (int id = 0; id < RASKI_OPTION_COUNT; id++) {
        raski_option_id option = (raski_option_id)id;
        if (!raski_configuration_is_set(cfg, option)) continue;
        raski_text_list list = {0};
        raski_text_map map = {0};
        switch (raski_option_get(option)->type) {
            case RASKI_VALUE_STRING:
                (void)raski_configuration_get_text(cfg, option);
                break;
            case RASKI_VALUE_INT:
                (void)raski_configuration_get_int(cfg, option);
                break;
            case RASKI_VALUE_LONG:
                (void)raski_configuration_get_long(cfg, option);
                break;
            case RASKI_VALUE_DOUBLE:
                (void)raski_configuration_get_double(cfg, option);
                break;
            case RASKI_VALUE_BOOL:
                (void)raski_configuration_get_bool(cfg, option);
                break;
            case RASKI_VALUE_CHOICE:
                (void)raski_configuration_get_choice(cfg, option);
                break;
            case RASKI_VALUE_DURATION:
                (void)raski_configuration_get_duration_ms(cfg, option);
                break;
            case RASKI_VALUE_MEMORY:
                (void)raski_configuration_get_memory(cfg, option);
                break;
            case RASKI_VALUE_LIST:
                list = raski_configuration_get_list(cfg, option);
                break;
            case RASKI_VALUE_MAP:
                map = raski_configuration_get_map(cfg, option);
                break;
        }
        raski_text_list_free(&list);
        raski_text_map_free(&map);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const raski_config_syntax syntaxes[] = {RASKI_CONFIG_YAML, RASKI_CONFIG_LEGACY};
    char *text = raski_strndup((const char *)data, size);
    for (size_t i = 0; i < sizeof syntaxes / sizeof *syntaxes; i++) {
        raski_configuration *cfg = raski_configuration_create();
        raski_error err = {0};
        rask_status status =
            raski_configuration_load_text(cfg, (const char *)data, size, syntaxes[i], "fuzz", &err);
        if ((status == RASK_OK) != (err.status == RASK_OK)) abort();
        read_back(cfg);
        raski_configuration_destroy(cfg);
    }
    raski_text_list list = {0};
    raski_text_map map = {0};
    if (raski_parse_list(text, &list, NULL) == RASK_OK) raski_text_list_free(&list);
    if (raski_parse_map(text, &map, NULL) == RASK_OK) raski_text_map_free(&map);
    raski_free(text);
    return 0;
}
