#include "graph/id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "types/java_hash.h"

static void hex_round_trip(void **state) {
    (void)state;
    char hex[RASKI_ID_HEX_SIZE];
    raski_id id, other;
    assert_true(raski_id_from_hex("cbc357ccb763DF2852fee8c4fc7d55f2", &id));
    assert_string_equal(raski_id_to_hex(id, hex), "cbc357ccb763df2852fee8c4fc7d55f2");
    other = id;
    assert_false(raski_id_from_hex("cbc357ccb763df2852fee8c4fc7d55f", &id));
    assert_false(raski_id_from_hex("cbc357ccb763df2852fee8c4fc7d55f2a", &id));
    assert_false(raski_id_from_hex("cbc357ccb763df2852fee8c4fc7d55fg", &id));
    assert_true(raski_id_equals(id, other));
    assert_false(raski_id_is_zero(id));
}

/* A result of a real Flink job: the halves of the vertex's id are swapped, the hash is added. */
static void data_set_id(void **state) {
    (void)state;
    raski_id vertex, expected;
    assert_true(raski_id_from_hex("cbc357ccb763df2852fee8c4fc7d55f2", &vertex));
    assert_true(raski_id_from_hex("52fee8c4a864be7dcbc357cc634b47b3", &expected));
    const char edge[] = "Flat Map-2_Keyed Aggregation-4_0_HASH_0";
    int32_t hash = raski_hash_utf8(edge, sizeof edge - 1);
    assert_true(raski_id_equals(raski_id_of_data_set(vertex, hash), expected));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex_round_trip),
        cmocka_unit_test(data_set_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
