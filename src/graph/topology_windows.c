/* topology_windows.c - window operators and the joins made of them. What Flink prints of an
 * assigner, a trigger and a function becomes the operator's description. */
#include <string.h>

#include "graph/topology_private.h"
#include "graph/window_description.h"
#include "graph/window_spec.h"

typedef struct window_parts {
    raski_window_assigner assigner;
    raski_trigger trigger; /* nested ones are the arena's */
    raski_evictor evictor;
} window_parts;

/* --- assigners ---------------------------------------------------------------------------------
 */

typedef struct assigner_kind {
    const char *name;
    raski_window_shape shape;
    bool event_time;
} assigner_kind;

static const assigner_kind assigner_kinds[] = {
    {"tumblingEventTime", RASKI_WINDOW_TUMBLING, true},
    {"tumblingProcessingTime", RASKI_WINDOW_TUMBLING, false},
    {"slidingEventTime", RASKI_WINDOW_SLIDING, true},
    {"slidingProcessingTime", RASKI_WINDOW_SLIDING, false},
    {"sessionEventTime", RASKI_WINDOW_SESSION, true},
    {"sessionProcessingTime", RASKI_WINDOW_SESSION, false},
    {"global", RASKI_WINDOW_GLOBAL, false},
};

static rask_status read_assigner(topology_step *s, window_parts *parts, raski_error *err) {
    parts->assigner = (raski_window_assigner){.size_ms = topology_number(s, "size", 1000),
                                              .slide_ms = topology_number(s, "slide", 500),
                                              .gap_ms = topology_number(s, "gap", 1000),
                                              .offset_ms = topology_number(s, "offset", 0)};
    const char *name = topology_text(s, "window", "tumblingEventTime");
    for (size_t i = 0; i < sizeof assigner_kinds / sizeof *assigner_kinds; i++) {
        if (strcmp(assigner_kinds[i].name, name) != 0) continue;
        parts->assigner.shape = assigner_kinds[i].shape;
        parts->assigner.event_time = assigner_kinds[i].event_time;
        parts->trigger = raski_trigger_default(&parts->assigner);
        return raski_window_assigner_check(&parts->assigner, err);
    }
    return topology_bad(s, err, "unknown window");
}

/* --- triggers, evictors ------------------------------------------------------------------------
 */

/* text without every "purging:"; in the arena. */
static char *without_purging(topology_step *s, const char *text) {
    static const char prefix[] = "purging:";
    char *copy = raski_arena_strdup(s->topology->graph->arena, text), *at;
    while ((at = strstr(copy, prefix)) != NULL)
        memmove(at, at + sizeof prefix - 1, strlen(at + sizeof prefix - 1) + 1);
    return copy;
}

static void purge(topology_step *s, window_parts *parts) {
    parts->trigger =
        (raski_trigger){.kind = RASKI_TRIGGER_PURGING,
                        .nested = raski_trigger_copy(&parts->trigger, s->topology->graph->arena)};
}

static rask_status read_trigger(topology_step *s, window_parts *parts, raski_error *err) {
    const char *text = topology_text(s, "trigger", "count");
    const char *kind = without_purging(s, text);
    raski_trigger trigger = {.kind = RASKI_TRIGGER_COUNT};
    if (strcmp(kind, "count") == 0)
        trigger.count = topology_number(s, "triggerCount", 10);
    else if (strcmp(kind, "eventTime") == 0)
        trigger.kind = RASKI_TRIGGER_EVENT_TIME;
    else if (strcmp(kind, "processingTime") == 0)
        trigger.kind = RASKI_TRIGGER_PROCESSING_TIME;
    else if (strcmp(kind, "continuousEventTime") == 0)
        trigger.kind = RASKI_TRIGGER_CONTINUOUS_EVENT_TIME;
    else if (strcmp(kind, "continuousProcessingTime") == 0)
        trigger.kind = RASKI_TRIGGER_CONTINUOUS_PROCESSING_TIME;
    else
        return topology_bad(s, err, "unknown trigger");
    if (strncmp(kind, "continuous", strlen("continuous")) == 0)
        trigger.interval_ms = topology_number(s, "interval", 100);
    parts->trigger = trigger;
    if (strncmp(text, "purging:", strlen("purging:")) == 0) purge(s, parts);
    return RASK_OK;
}

static rask_status read_evictor(topology_step *s, window_parts *parts, raski_error *err) {
    const char *kind = topology_text(s, "evictor", "count");
    if (strcmp(kind, "count") == 0)
        parts->evictor = (raski_evictor){.kind = RASKI_EVICTOR_COUNT,
                                         .count = topology_number(s, "evictorCount", 10)};
    else if (strcmp(kind, "time") == 0)
        parts->evictor = (raski_evictor){.kind = RASKI_EVICTOR_TIME,
                                         .size_ms = topology_number(s, "evictorTime", 1000)};
    else
        return topology_bad(s, err, "unknown evictor");
    return RASK_OK;
}

static rask_status read_trigger_and_evictor(topology_step *s, window_parts *parts,
                                            raski_error *err) {
    if (topology_has(s, "trigger")) RASKI_TRY(read_trigger(s, parts, err));
    if (topology_has(s, "evictor")) RASKI_TRY(read_evictor(s, parts, err));
    return RASK_OK;
}

/* countWindow(size) and countWindow(size, slide) are global windows with trigger and evictor. */
static void count_windows(topology_step *s, window_parts *parts) {
    const int64_t size = topology_number(s, "size", 10);
    parts->assigner.shape = RASKI_WINDOW_GLOBAL;
    parts->trigger = (raski_trigger){.kind = RASKI_TRIGGER_COUNT, .count = size};
    if (topology_has(s, "slide")) {
        parts->evictor = (raski_evictor){.kind = RASKI_EVICTOR_COUNT, .count = size};
        parts->trigger.count = topology_number(s, "slide", 5);
        return;
    }
    purge(s, parts);
}

/* All that window and windowAll are given before their function. */
static rask_status read_parts(topology_step *s, window_parts *parts, raski_error *err) {
    if (strcmp(topology_text(s, "window", ""), "count") == 0)
        count_windows(s, parts);
    else
        RASKI_TRY(read_assigner(s, parts, err));
    RASKI_TRY(read_trigger_and_evictor(s, parts, err));
    if (topology_has(s, "lateness"))
        RASKI_TRY(raski_window_lateness_check(topology_number(s, "lateness", 0), err));
    const char *late_tag = topology_text(s, "lateTag", NULL);
    if (late_tag && *late_tag == '\0')
        return RASKI_THROW(err, "IllegalArgumentException", "OutputTag id must not be empty.");
    return RASK_OK;
}

/* --- keyed windows -----------------------------------------------------------------------------
 */

static raski_window_program program_of(const window_parts *parts) {
    return (raski_window_program){
        .assigner = &parts->assigner, .trigger = &parts->trigger, .evictor = &parts->evictor};
}

static rask_status window_transform(topology_step *s, const topology_value *input,
                                    const window_parts *parts, const char *functions,
                                    const char *type, topology_value *ret_value, raski_error *err) {
    const raski_window_program program = program_of(parts);
    const raski_operator_factory factory = raski_window_factory(&program);
    RASKI_TRY(topology_transform(s, input, raski_window_assigner_class(&parts->assigner), type,
                                 &factory, ret_value, err));
    ret_value->transformation->description =
        raski_window_description(&program, functions, s->topology->graph->arena);
    return RASK_OK;
}

rask_status topology_end_of_stream_window(topology_step *s, const topology_value *input,
                                          const char *functions, topology_value *ret_value,
                                          raski_error *err) {
    window_parts parts = {.assigner = {.shape = RASKI_WINDOW_GLOBAL_END_OF_STREAM}};
    parts.trigger = raski_trigger_default(&parts.assigner);
    return window_transform(s, input, &parts, functions, input->transformation->output_type,
                            ret_value, err);
}

/* The ways to apply a function to a window. */
typedef struct apply_kind {
    const char *name;
    const char *function;        /* default class of the first function */
    const char *window_function; /* default of the second; NULL: there is none */
    bool names_window_function;  /* "windowFunction" may name the second */
    bool has_out;                /* the result has type "out", else that of the input */
} apply_kind;

static const apply_kind apply_kinds[] = {
    {"reduce", "ReduceFn", "PassThroughWindowFunction", false, false},
    {"reduce+window", "ReduceFn", "WindowFn", true, true},
    {"reduce+process", "ReduceFn", "ProcessWindowFn", true, true},
    {"aggregate", "AggregateFn", "PassThroughWindowFunction", false, true},
    {"aggregate+window", "AggregateFn", "WindowFn", true, true},
    {"aggregate+process", "AggregateFn", "ProcessWindowFn", true, true},
    {"apply", "WindowFn", NULL, false, true},
    {"process", "ProcessWindowFn", NULL, false, true},
};

static bool is_rolling(const char *apply) {
    return strcmp(apply, "sum") == 0 || strcmp(apply, "min") == 0 || strcmp(apply, "max") == 0 ||
           strcmp(apply, "minBy") == 0 || strcmp(apply, "maxBy") == 0;
}

static const apply_kind *find_apply(const char *apply) {
    for (size_t i = 0; i < sizeof apply_kinds / sizeof *apply_kinds; i++)
        if (strcmp(apply_kinds[i].name, apply) == 0) return &apply_kinds[i];
    return NULL;
}

static rask_status make_window(topology_step *s, topology_value *ret_value, raski_error *err) {
    raski_arena *arena = s->topology->graph->arena;
    topology_value input;
    window_parts parts = {0};
    const char *out = NULL;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(topology_need_keyed(s, &input, err));
    RASKI_TRY(read_parts(s, &parts, err));
    RASKI_TRY(topology_out_type(s, input.transformation, &out, err));
    const char *function = topology_text(s, "function", NULL);
    const char *apply = topology_text(s, "apply", "reduce");
    if (is_rolling(apply)) {
        bool sum = strcmp(apply, "sum") == 0;
        RASKI_TRY(topology_check_aggregate(s, input.transformation, sum, err));
        const char *functions = raski_arena_format(arena, "%s, PassThroughWindowFunction",
                                                   sum ? "SumAggregator" : "ComparableAggregator");
        return window_transform(s, &input, &parts, functions, input.transformation->output_type,
                                ret_value, err);
    }
    const apply_kind *kind = find_apply(apply);
    if (kind == NULL) return topology_bad(s, err, "unknown apply");
    if (function == NULL) function = kind->function;
    if (kind->window_function) {
        const char *second = kind->window_function;
        if (kind->names_window_function) second = topology_text(s, "windowFunction", second);
        function = raski_arena_format(arena, "%s, %s", function, second);
    }
    return window_transform(s, &input, &parts, function,
                            kind->has_out ? out : input.transformation->output_type, ret_value,
                            err);
}

/* --- windows over all records ------------------------------------------------------------------
 */

typedef struct all_apply_kind {
    const char *name;
    raski_window_all_apply apply;
    bool has_out; /* the result has type "out", else that of the input */
} all_apply_kind;

static const all_apply_kind all_apply_kinds[] = {
    {"reduce", RASKI_WINDOW_ALL_REDUCE, false},
    {"reduce+window", RASKI_WINDOW_ALL_REDUCE_WINDOW, true},
    {"reduce+process", RASKI_WINDOW_ALL_REDUCE_PROCESS, true},
    {"aggregate", RASKI_WINDOW_ALL_AGGREGATE, true},
    {"aggregate+window", RASKI_WINDOW_ALL_AGGREGATE_WINDOW, true},
    {"aggregate+process", RASKI_WINDOW_ALL_AGGREGATE_PROCESS, true},
    {"apply", RASKI_WINDOW_ALL_APPLY, true},
    {"process", RASKI_WINDOW_ALL_APPLY, true},
};

static const all_apply_kind *find_all_apply(const char *apply) {
    if (is_rolling(apply)) return &all_apply_kinds[0];
    for (size_t i = 0; i < sizeof all_apply_kinds / sizeof *all_apply_kinds; i++)
        if (strcmp(all_apply_kinds[i].name, apply) == 0) return &all_apply_kinds[i];
    return NULL;
}

static rask_status make_window_all(topology_step *s, topology_value *ret_value, raski_error *err) {
    static const raski_operator_factory factory = {0};
    topology_value input;
    window_parts parts = {0};
    const char *out = NULL;
    RASKI_TRY(topology_one(s, &input, err));
    RASKI_TRY(read_parts(s, &parts, err));
    RASKI_TRY(topology_out_type(s, input.transformation, &out, err));
    const char *apply = topology_text(s, "apply", "reduce");
    if (strcmp(apply, "reduce") == 0) (void)topology_text(s, "function", NULL);
    const all_apply_kind *kind = find_all_apply(apply);
    if (kind == NULL) return topology_bad(s, err, "unknown apply");
    if (is_rolling(apply))
        RASKI_TRY(
            topology_check_aggregate(s, input.transformation, strcmp(apply, "sum") == 0, err));
    topology_value keyed = topology_key_by(s, &input, topology_anonymous_selector(s), "Byte");
    const raski_window_program program = program_of(&parts);
    bool is_description = false;
    const char *text = raski_window_all_description(
        &program, kind->apply, topology_type_of(s, input.transformation)->serializer,
        "main(FILE:LINE)", s->topology->graph->arena, &is_description);
    RASKI_TRY(topology_transform(
        s, &keyed, is_description ? raski_window_assigner_class(&parts.assigner) : text,
        kind->has_out ? out : input.transformation->output_type, &factory, ret_value, err));
    if (is_description) ret_value->transformation->description = text;
    raski_transformation_force_non_parallel(ret_value->transformation);
    return RASK_OK;
}

/* --- joins -------------------------------------------------------------------------------------
 */

/* One side of a join: a map that tags the records. */
static rask_status tag_input(topology_step *s, const topology_value *input, const char *type,
                             raski_transformation **ret_tagged, raski_error *err) {
    static const raski_operator_factory simple = {.simple = true};
    topology_value tagged;
    RASKI_TRY(topology_transform(s, input, "Map", type, &simple, &tagged, err));
    *ret_tagged = tagged.transformation;
    return raski_transformation_hint_parallelism(tagged.transformation,
                                                 input->transformation->parallelism, err);
}

static rask_status make_join(topology_step *s, topology_value *ret_value, raski_error *err) {
    topology_value inputs[2];
    window_parts parts = {0};
    const char *out = NULL;
    raski_transformation *tagged[2], *both;
    RASKI_TRY(topology_two(s, inputs, err));
    RASKI_TRY(read_assigner(s, &parts, err));
    RASKI_TRY(read_trigger_and_evictor(s, &parts, err));
    if (strcmp(s->op, "join") == 0) (void)topology_flag(s, "flat", false);
    RASKI_TRY(topology_out_type(s, inputs[0].transformation, &out, err));
    const char *union_type =
        raski_arena_format(s->topology->graph->arena, "TaggedUnion#%d", s->index);
    RASKI_TRY(tag_input(s, &inputs[0], union_type, &tagged[0], err));
    RASKI_TRY(tag_input(s, &inputs[1], union_type, &tagged[1], err));
    RASKI_TRY(raski_transformation_union(tagged, 2, &both, err));
    topology_value keyed = topology_key_by(s, &(topology_value){TOPOLOGY_STREAM, both, NULL},
                                           topology_anonymous_selector(s), topology_string.text);
    return window_transform(s, &keyed, &parts, "CoGroupWindowFunction", out, ret_value, err);
}

const topology_operation_entry topology_windows[] = {
    {"window", make_window},
    {"windowAll", make_window_all},
    {"join", make_join},
    {"coGroup", make_join},
    {NULL, NULL},
};
