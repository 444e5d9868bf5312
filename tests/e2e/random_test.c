/* Random programs: DAGs of a dozen operators over small records, with random partitionings,
 * parallelism, chaining, modes and buffer timeouts, whose results must be those of a model that
 * works on multisets. RASK_SEED=n runs one seed, RASK_SEEDS=n as many from 1. */
#include "e2e_test_util.h"

typedef struct {
    int32_t key;
    int64_t value;
    rask_string text;
} rec;
RASK_TYPE(rec, key, value, text);

/* ---------------------------------------------------------------- functions, and their models */
RASK_MAP(add_one, rec, r, rec) {
    r.value++;
    return r;
}
RASK_MAP(mix_key, rec, r, rec) {
    r.key = (int32_t)((r.key * 31 + r.value) % 13);
    return r;
}
/* Which record of a key comes first is not known. */
RASK_MAP(without_key, rec, r, rec) {
    r.key = 0;
    return r;
}
RASK_MAP(lengthen, rec, r, rec) {
    r.text = rask_string_format("%.*s/%d", r.text.len < 40 ? (int)r.text.len : 40,
                                rask_string_data(&r.text), r.key);
    return r;
}
RASK_FILTER(keep_two_thirds, rec, r) {
    return r.value % 3 != 0;
}
RASK_FLAT_MAP(up_to_two, rec, r, rec, out) {
    for (int i = 0; i < (r.value + r.key) % 3; i++)
        rask_emit(out, (rec){r.key, r.value + i, r.text});
}
RASK_SIDE_OUTPUT(negative_side, rec);
typedef struct {
    int64_t seen;
} process_instance;
RASK_INSTANCE(process_instance);
static rec negated(rec r) {
    return (rec){r.key, -r.value, r.text};
}
RASK_PROCESS(split_even, process_instance, self, rec, r, rec, out) {
    self->seen++;
    if (r.value % 2 == 0)
        rask_emit(out, r);
    else
        rask_emit_side(out, negative_side, negated(r));
}
/* The n-th record of a key gives n: in whatever order they come. */
typedef struct {
    rask_value(int64_t) count;
} count_state;
RASK_STATE(count_state, count);
RASK_KEYED_PROCESS(number_of_key, count_state, self, rec, r, rec, out) {
    rask_emit(out, (rec){r.key, ++*rask_ref(self->count), rask_string_from("counted")});
}
RASK_KEYED_PROCESS(number_of_text, count_state, self, rec, r, rec, out) {
    rask_emit(out, (rec){7, ++*rask_ref(self->count), *rask_key(out, rask_string)});
    (void)r;
    if (*rask_get(self->count) == 3) rask_clear(self->count);
}
RASK_REDUCE(largest_text, rec, a, b) {
    a.value += b.value;
    if (rask_string_compare(b.text, a.text) > 0) a.text = b.text;
    return a;
}
RASK_CO_MAP(both, rec, r, rec, rec) {
    return add_one(r);
}
RASK_SECOND_MAP(both, r) {
    return negated(r);
}
RASK_KEYED_CO_PROCESS(number_of_both, count_state, self, rec, r, rec, rec, out) {
    rask_emit(out, (rec){r.key, ++*rask_ref(self->count), rask_string_from("either")});
}
RASK_ON_SECOND(number_of_both, self, r, out) {
    rask_emit(out, (rec){r.key, ++*rask_ref(self->count), rask_string_from("either")});
}
RASK_PARTITIONER(by_key, int32_t, key, partitions) {
    return (key % partitions + partitions) % partitions;
}
RASK_MAP(make_rec, int64_t, n, rec) {
    return (rec){(int32_t)(n % 11), n, n % 4 ? rask_string_from("t") : long_text(n % 50)};
}

/* ---------------------------------------------------------------- the model's multisets */
typedef struct {
    rec *items;
    size_t count, capacity;
} bag;
static void bag_add(bag *b, rec r) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 64;
        b->items = realloc(b->items, b->capacity * sizeof *b->items);
        assert_non_null(b->items);
    }
    b->items[b->count++] = r;
}
static void bag_add_all(bag *b, const bag *from) {
    for (size_t i = 0; i < from->count; i++) bag_add(b, from->items[i]);
}
/* Counts how often a key, or a text, was met before; zero-initialised. */
enum { TALLY_SLOTS = 1 << 12 };
typedef struct {
    bool used;
    rec first; /* the first record with this key or text */
    int64_t met;
} tally_slot;
typedef struct {
    tally_slot slots[TALLY_SLOTS];
} tally;
static int64_t *tally_of(tally *t, rec r, bool by_text) {
    uint32_t at = by_text ? r.text.len * 31 : (uint32_t)r.key;
    for (uint32_t i = 0; by_text && i < r.text.len; i++)
        at = at * 31 + (unsigned char)rask_string_data(&r.text)[i];
    for (;; at++) {
        tally_slot *slot = &t->slots[at % TALLY_SLOTS];
        if (!slot->used) {
            slot->used = true;
            slot->first = r;
        }
        if (by_text ? rask_string_equal(slot->first.text, r.text) : slot->first.key == r.key)
            return &slot->met;
    }
}

/* ---------------------------------------------------------------- random programs */
enum { NODES_MAX = 16, RECORDS_MAX = 60000 };
typedef struct {
    uint64_t state;
} dice;
static uint32_t roll(dice *d, uint32_t sides) {
    d->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = d->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % sides);
}
typedef struct {
    dice dice;
    rask_env *env;
    bool batch, large;
    rask_stream(rec) streams[NODES_MAX];
    bag bags[NODES_MAX]; /* what flows in each */
    bool is_read[NODES_MAX];
    int count;
    char story[2048];
} program;

static void tell(program *p, const char *what, int a, int b) {
    size_t used = strlen(p->story);
    (void)snprintf(p->story + used, sizeof p->story - used, b >= 0 ? " %d=%s(%d,%d)" : " %d=%s(%d)",
                   p->count, what, a, b);
}
static bag *new_node(program *p, rask_stream(rec) s) {
    p->streams[p->count] = s;
    return &p->bags[p->count++];
}
/* An earlier stream, behind a random partitioning. In batch mode two operators must not read each
 * other's blocking results in a circle, which a DAG never does. */
static int pick(program *p) {
    int i = (int)roll(&p->dice, (uint32_t)p->count);
    p->is_read[i] = true;
    return i;
}
static rask_stream(rec) partitioned(program *p, rask_stream(rec) s) {
    switch (roll(&p->dice, 9)) {
        case 0:
            return rask_rebalance(s);
        case 1:
            return rask_rescale(s);
        case 2:
            return rask_shuffle(s);
        case 3:
            return rask_global(s);
        case 4:
            return rask_partition_custom(s, by_key, key);
        default:
            return s;
    }
}
/* 0: that of the environment. */
static int some_parallelism(program *p) {
    return roll(&p->dice, 3) ? 0 : 1 + (int)roll(&p->dice, 4);
}
#define OPTIONS \
    .parallelism = some_parallelism(p), .start_new_chain = roll(&p->dice, 8) == 0, \
    .disable_chaining = roll(&p->dice, 8) == 0

static void add_source(program *p) {
    int64_t n = 1 + roll(&p->dice, p->large ? 20000 : 300);
    tell(p, "source", (int)n, -1);
    bag *b = new_node(p, rask_map(rask_sequence(p->env, 0, n - 1, OPTIONS), make_rec, OPTIONS));
    for (int64_t i = 0; i < n; i++) {
        rec r = make_rec(i);
        r.text = keep(r.text);
        bag_add(b, r);
    }
}

#define EACH(body) \
    for (size_t i = 0; i < in->count; i++) { \
        rec r = in->items[i]; \
        body; \
    }

static void add_stateless(program *p) {
    int a = pick(p);
    const bag *in = &p->bags[a];
    rask_stream(rec) s = partitioned(p, p->streams[a]);
    bag *b;
    switch (roll(&p->dice, 6)) {
        case 0:
            tell(p, "add_one", a, -1);
            b = new_node(p, rask_map(s, add_one, OPTIONS));
            EACH(bag_add(b, add_one(r)))
            break;
        case 1:
            tell(p, "mix_key", a, -1);
            b = new_node(p, rask_map(s, mix_key, OPTIONS));
            EACH(bag_add(b, mix_key(r)))
            break;
        case 2:
            tell(p, "lengthen", a, -1);
            b = new_node(p, rask_map(s, lengthen, OPTIONS));
            EACH({
                rec longer = lengthen(r);
                longer.text = keep(longer.text);
                bag_add(b, longer);
            })
            break;
        case 3:
            tell(p, "filter", a, -1);
            b = new_node(p, rask_filter(s, keep_two_thirds, OPTIONS));
            EACH(if (keep_two_thirds(r)) bag_add(b, r))
            break;
        case 4:
            tell(p, "flat_map", a, -1);
            b = new_node(p, rask_flat_map(s, up_to_two, OPTIONS));
            EACH(for (int k = 0; k < (r.value + r.key) % 3; k++)
                     bag_add(b, (rec){r.key, r.value + k, r.text}))
            break;
        default:
            tell(p, "process", a, -1);
            b = new_node(p, rask_process(s, split_even, OPTIONS));
            EACH(if (r.value % 2 == 0) bag_add(b, r))
            tell(p, "side", p->count - 1, -1);
            p->is_read[p->count - 1] = true;
            b = new_node(p, rask_side_output(p->streams[p->count - 1], negative_side));
            EACH(if (r.value % 2 != 0) bag_add(b, negated(r)))
            break;
    }
}

static tally *fresh_tally(void) {
    static tally t;
    memset(&t, 0, sizeof t);
    return &t;
}

static void add_keyed(program *p) {
    int a = pick(p);
    tally *t = fresh_tally();
    const bag *in = &p->bags[a];
    rask_stream(rec) s = p->streams[a];
    bag *b;
    switch (roll(&p->dice, p->batch ? 4 : 2)) {
        case 0:
            tell(p, "number_of_key", a, -1);
            b = new_node(p, rask_process(rask_key_by(s, key), number_of_key, OPTIONS));
            EACH(bag_add(b, (rec){r.key, ++*tally_of(t, r, false), rask_string_from("counted")}))
            break;
        case 1:
            tell(p, "number_of_text", a, -1);
            b = new_node(p, rask_process(rask_key_by(s, text), number_of_text, OPTIONS));
            EACH(bag_add(b, (rec){7, 1 + (*tally_of(t, r, true))++ % 3, r.text}))
            break;
        case 2: /* final results: one record per key */
            tell(p, "sum", a, -1);
            b = new_node(p, rask_map(rask_sum(rask_key_by(s, text), value, OPTIONS), without_key));
            EACH(*tally_of(t, r, true) += r.value)
            for (size_t i = 0; i < TALLY_SLOTS; i++)
                if (t->slots[i].used) bag_add(b, (rec){0, t->slots[i].met, t->slots[i].first.text});
            break;
        default:
            tell(p, "reduce", a, -1);
            b = new_node(p, rask_reduce(rask_key_by(s, key), largest_text, OPTIONS));
            EACH({
                int64_t *place = tally_of(t, r, false); /* of the key's result, from 1 */
                if (*place == 0) {
                    bag_add(b, r);
                    *place = (int64_t)b->count;
                } else {
                    b->items[*place - 1] = largest_text(b->items[*place - 1], r);
                }
            })
            break;
    }
}

static void add_two_inputs(program *p) {
    int a = pick(p), c = pick(p);
    const bag *in = &p->bags[a], *in2 = &p->bags[c];
    bag *b;
    switch (roll(&p->dice, 3)) {
        case 0:
            tell(p, "union", a, c);
            b = new_node(p, rask_union(partitioned(p, p->streams[a]), p->streams[c]));
            bag_add_all(b, in);
            bag_add_all(b, in2);
            break;
        case 1:
            tell(p, "co_map", a, c);
            b = new_node(p, rask_connect(partitioned(p, p->streams[a]),
                                         partitioned(p, p->streams[c]), both, OPTIONS));
            EACH(bag_add(b, add_one(r)))
            in = in2;
            EACH(bag_add(b, negated(r)))
            break;
        default: {
            tell(p, "keyed_co", a, c);
            b = new_node(p, rask_connect(rask_key_by(p->streams[a], key),
                                         rask_key_by(p->streams[c], key), number_of_both, OPTIONS));
            bag all = {0};
            bag_add_all(&all, in);
            bag_add_all(&all, in2);
            in = &all;
            tally *t = fresh_tally();
            EACH(bag_add(b, (rec){r.key, ++*tally_of(t, r, false), rask_string_from("either")}))
            free(all.items);
        }
    }
}

NOTE_SINK(note_rec, rec)

/* The program of a seed. */
static setting build(program *p, uint64_t seed) {
    *p = (program){.dice = {seed * 7919}};
    static const int64_t timeouts[] = {0, 3, 100, -1};
    setting s = {.parallelism = 1 + (int)roll(&p->dice, 4),
                 .chaining = roll(&p->dice, 4) != 0,
                 .batch = roll(&p->dice, 2) == 0,
                 .buffer_timeout_ms = timeouts[roll(&p->dice, 4)]};
    p->env = env_of(&s);
    p->batch = s.batch;
    p->large = seed % 10 == 0;
    if (p->large) { /* with back-pressure */
        rask_set_option(p->env, "taskmanager.memory.network.min", "24 mb");
        rask_set_option(p->env, "taskmanager.memory.network.max", "24 mb");
    }
    add_source(p);
    int wanted = 3 + (int)roll(&p->dice, NODES_MAX - 5);
    while (p->count < wanted) {
        uint32_t what = roll(&p->dice, 10);
        if (what == 0)
            add_source(p);
        else if (what < 5)
            add_stateless(p);
        else if (what < 8)
            add_keyed(p);
        else
            add_two_inputs(p);
        if (p->bags[p->count - 1].count > RECORDS_MAX) break;
    }
    return s;
}

static void run_seed(uint64_t seed) {
    static program p_;
    program *p = &p_;
    setting s = build(p, seed);
    notes seen[NODES_MAX] = {0};
    for (int i = 0; i < p->count; i++)
        if (!p->is_read[i] || roll(&p->dice, 3) == 0) {
            rask_sink(p->streams[i], note_rec, .self = RASK_SELF(noting, &seen[i]), OPTIONS);
            p->is_read[i] = false;
        }
    rask_job_result result;
    if (rask_execute_job(p->env, "random", &result) != 0)
        fail_msg("RASK_SEED=%llu:%s: %s", (unsigned long long)seed, p->story, result.message);
    for (int i = 0; i < p->count; i++) {
        if (p->is_read[i]) continue;
        lines want = {0};
        for (size_t k = 0; k < p->bags[i].count; k++)
            lines_add_record(&want, &rask_type_rec, &p->bags[i].items[k]);
        lines_sort(&want);
        lines_sort(&seen[i].lines);
        size_t at = 0;
        while (at < want.count && at < seen[i].lines.count &&
               strcmp(want.items[at], seen[i].lines.items[at]) == 0)
            at++;
        if (at < want.count || at < seen[i].lines.count)
            fail_msg(
                "RASK_SEED=%llu: parallelism %d, chaining %d, batch %d, timeout %d:%s: stream "
                "%d has %zu records, not %zu; at %zu %s instead of %s",
                (unsigned long long)seed, s.parallelism, s.chaining, s.batch,
                (int)s.buffer_timeout_ms, p->story, i, seen[i].lines.count, want.count, at,
                at < seen[i].lines.count ? seen[i].lines.items[at] : "(nothing)",
                at < want.count ? want.items[at] : "(nothing)");
        lines_free(&want);
    }
    for (int i = 0; i < p->count; i++) {
        lines_free(&seen[i].lines);
        free(p->bags[i].items);
    }
    rask_env_destroy(p->env);
}

/* Takes some records of the last stream, then no more: the job ends, whatever its tasks are at. */
static void cancel_seed(uint64_t seed) {
    static program p_;
    program *p = &p_;
    (void)build(p, seed);
    for (int i = 0; i < p->count - 1; i++)
        if (!p->is_read[i]) rask_discard(p->streams[i], OPTIONS);
    rask_iterator(rec) it = rask_execute_and_collect(p->streams[p->count - 1], "cancelled");
    rec r;
    for (uint32_t k = roll(&p->dice, 200); k > 0 && rask_next(&it, &r); k--) {
    }
    if (rask_close(&it) != 0) fail_msg("RASK_SEED=%llu:%s", (unsigned long long)seed, p->story);
    for (int i = 0; i < p->count; i++) free(p->bags[i].items);
}

/* One of the streams fails at its n-th record, if there are so many. */
typedef struct {
    _Atomic int64_t *left;
} bomb;
RASK_INSTANCE(bomb);
RASK_RICH_MAP(tick, bomb, self, rec, r, rec) {
    if (--*self->left == 0) (void)rask_fail("the bomb went off");
    return r;
}
static void fail_seed(uint64_t seed) {
    static program p_;
    program *p = &p_;
    (void)build(p, seed);
    int chosen = (int)roll(&p->dice, (uint32_t)p->count);
    int64_t wanted = 1 + roll(&p->dice, (uint32_t)p->bags[chosen].count * 2 + 1);
    _Atomic int64_t left = wanted;
    rask_discard(
        rask_map(p->streams[chosen], tick, .self = RASK_SELF(bomb, .left = &left), OPTIONS));
    for (int i = 0; i < p->count; i++)
        if (!p->is_read[i]) rask_discard(p->streams[i], OPTIONS);
    rask_job_result result;
    const bool failed = rask_execute_job(p->env, "random", &result) != 0;
    if (failed != (wanted <= (int64_t)p->bags[chosen].count) ||
        (failed && strstr(result.message, "the bomb went off") == NULL))
        fail_msg("RASK_SEED=%llu:%s: stream %d was to fail at record %lld of %zu: %s",
                 (unsigned long long)seed, p->story, chosen, (long long)wanted,
                 p->bags[chosen].count, failed ? result.message : "(it did not)");
    rask_env_destroy(p->env);
    for (int i = 0; i < p->count; i++) free(p->bags[i].items);
}

static void for_seeds(void (*run)(uint64_t seed)) {
    const char *one = getenv("RASK_SEED"), *many = getenv("RASK_SEEDS");
    if (one != NULL) {
        run(strtoull(one, NULL, 10));
        return;
    }
    uint64_t seeds = many ? strtoull(many, NULL, 10) : 60;
    for (uint64_t seed = 1; seed <= seeds; seed++) run(seed);
}
static void random_programs_give_what_the_model_gives(void **state) {
    (void)state;
    for_seeds(run_seed);
}
static void random_programs_fail_where_they_should(void **state) {
    (void)state;
    for_seeds(fail_seed);
}
static void random_programs_can_be_cancelled_at_any_time(void **state) {
    (void)state;
    for_seeds(cancel_seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_give_what_the_model_gives),
        cmocka_unit_test(random_programs_fail_where_they_should),
        cmocka_unit_test(random_programs_can_be_cancelled_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
