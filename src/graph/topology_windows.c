/* topology_windows.c - window operators and the joins made of them. What Flink prints of an
 * assigner, a trigger and a function becomes the operator's description. */
#include <string.h>

#include "graph/topology_private.h"

typedef struct window_parts {
    const char *assigner;      /* class: "TumblingEventTimeWindows" */
    const char *assigner_text; /* its toString */
    const char *trigger;       /* class */
    const char *trigger_text;  /* toString */
    const char *evictor;       /* class; NULL: none */
    const char *evictor_text;
} window_parts;

/* --- assigners ---------------------------------------------------------------------------------
 */

static int64_t absolute(int64_t value) {
    return value < 0 && value != INT64_MIN ? -value : value;
}

static void default_trigger(window_parts *parts, bool event_time) {
    parts->trigger = event_time ? "EventTimeTrigger" : "ProcessingTimeTrigger";
    parts->trigger_text = event_time ? "EventTimeTrigger()" : "ProcessingTimeTrigger()";
}

static void global_windows(window_parts *parts) {
    parts->assigner = "GlobalWindows";
    parts->assigner_text = "GlobalWindows(trigger=NeverTrigger)";
    parts->trigger = "NeverTrigger";
    parts->trigger_text = NULL; /* prints its identity; the API replaces it or nothing prints it */
}

typedef struct assigner_kind {
    const char *name, *class_name;
    enum { TUMBLING, SLIDING, SESSION } shape;
    bool event_time;
} assigner_kind;

static const assigner_kind assigner_kinds[] = {
    {"tumblingEventTime", "TumblingEventTimeWindows", TUMBLING, true},
    {"tumblingProcessingTime", "TumblingProcessingTimeWindows", TUMBLING, false},
    {"slidingEventTime", "SlidingEventTimeWindows", SLIDING, true},
    {"slidingProcessingTime", "SlidingProcessingTimeWindows", SLIDING, false},
    {"sessionEventTime", "EventTimeSessionWindows", SESSION, true},
    {"sessionProcessingTime", "ProcessingTimeSessionWindows", SESSION, false},
};

static rask_status time_windows(topology_step *s, const assigner_kind *kind, int64_t size,
                                int64_t slide, int64_t gap, int64_t offset, window_parts *parts,
                                raski_error *err) {
    enum { WINDOWS_MAX = 10000000 }; /* of a sliding event time assigner per record */
    raski_arena *arena = s->topology->graph->arena;
    parts->assigner = kind->class_name;
    default_trigger(parts, kind->event_time);
    if (kind->shape == TUMBLING && absolute(offset) >= size)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "%s parameters must satisfy abs(offset) < size", kind->class_name);
    if (kind->shape == SLIDING && (absolute(offset) >= slide || size <= 0))
        return RASKI_THROW(err, "IllegalArgumentException",
                           "%s parameters must satisfy abs(offset) < slide and size > 0",
                           kind->class_name);
    if (kind->shape == SLIDING && kind->event_time && size / slide > WINDOWS_MAX)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "%s parameters must satisfy size / slide <= %d", kind->class_name,
                           WINDOWS_MAX);
    if (kind->shape == SESSION && gap <= 0)
        return RASKI_THROW(err, "IllegalArgumentException", "%s parameters must satisfy 0 < size",
                           kind->class_name);
    if (kind->shape == SLIDING)
        parts->assigner_text = raski_arena_format(arena, "%s(%jd, %jd)", kind->class_name,
                                                  (intmax_t)size, (intmax_t)slide);
    else
        parts->assigner_text = raski_arena_format(arena, "%s(%jd)", kind->class_name,
                                                  (intmax_t)(kind->shape == SESSION ? gap : size));
    return RASK_OK;
}

static rask_status read_assigner(topology_step *s, window_parts *parts, raski_error *err) {
    int64_t size = topology_number(s, "size", 1000), slide = topology_number(s, "slide", 500);
    int64_t gap = topology_number(s, "gap", 1000), offset = topology_number(s, "offset", 0);
    const char *name = topology_text(s, "window", "tumblingEventTime");
    if (strcmp(name, "global") == 0) {
        global_windows(parts);
        return RASK_OK;
    }
    for (size_t i = 0; i < sizeof assigner_kinds / sizeof *assigner_kinds; i++)
        if (strcmp(assigner_kinds[i].name, name) == 0)
            return time_windows(s, &assigner_kinds[i], size, slide, gap, offset, parts, err);
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

static rask_status read_trigger(topology_step *s, window_parts *parts, raski_error *err) {
    raski_arena *arena = s->topology->graph->arena;
    const char *text = topology_text(s, "trigger", "count");
    const char *kind = without_purging(s, text);
    bool continuous_event = strcmp(kind, "continuousEventTime") == 0;
    if (strcmp(kind, "count") == 0) {
        parts->trigger = "CountTrigger";
        parts->trigger_text = raski_arena_format(arena, "CountTrigger(%jd)",
                                                 (intmax_t)topology_number(s, "triggerCount", 10));
    } else if (strcmp(kind, "eventTime") == 0 || strcmp(kind, "processingTime") == 0) {
        default_trigger(parts, strcmp(kind, "eventTime") == 0);
    } else if (continuous_event || strcmp(kind, "continuousProcessingTime") == 0) {
        parts->trigger =
            continuous_event ? "ContinuousEventTimeTrigger" : "ContinuousProcessingTimeTrigger";
        parts->trigger_text = raski_arena_format(arena, "%s(%jd)", parts->trigger,
                                                 (intmax_t)topology_number(s, "interval", 100));
    } else {
        return topology_bad(s, err, "unknown trigger");
    }
    if (strncmp(text, "purging:", 8) == 0) {
        parts->trigger = "PurgingTrigger";
        parts->trigger_text = raski_arena_format(arena, "PurgingTrigger(%s)", parts->trigger_text);
    }
    return RASK_OK;
}

static void count_evictor(window_parts *parts) {
    parts->evictor = "CountEvictor";
    parts->evictor_text = "org.apache.flink.streaming.api.windowing.evictors.CountEvictor@HASH";
}

static rask_status read_evictor(topology_step *s, window_parts *parts, raski_error *err) {
    const char *kind = topology_text(s, "evictor", "count");
    if (strcmp(kind, "count") == 0) {
        (void)topology_number(s, "evictorCount", 10);
        count_evictor(parts);
        return RASK_OK;
    }
    if (strcmp(kind, "time") != 0) return topology_bad(s, err, "unknown evictor");
    parts->evictor = "TimeEvictor";
    parts->evictor_text = raski_arena_format(s->topology->graph->arena, "TimeEvictor(%jd)",
                                             (intmax_t)topology_number(s, "evictorTime", 1000));
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
    raski_arena *arena = s->topology->graph->arena;
    int64_t size = topology_number(s, "size", 10);
    global_windows(parts);
    if (topology_has(s, "slide")) {
        count_evictor(parts);
        parts->trigger = "CountTrigger";
        parts->trigger_text = raski_arena_format(arena, "CountTrigger(%jd)",
                                                 (intmax_t)topology_number(s, "slide", 5));
        return;
    }
    parts->trigger = "PurgingTrigger";
    parts->trigger_text =
        raski_arena_format(arena, "PurgingTrigger(CountTrigger(%jd))", (intmax_t)size);
}

/* All that window and windowAll are given before their function. */
static rask_status read_parts(topology_step *s, window_parts *parts, raski_error *err) {
    if (strcmp(topology_text(s, "window", ""), "count") == 0)
        count_windows(s, parts);
    else
        RASKI_TRY(read_assigner(s, parts, err));
    RASKI_TRY(read_trigger_and_evictor(s, parts, err));
    if (topology_has(s, "lateness") && topology_number(s, "lateness", 0) < 0)
        return RASKI_THROW(err, "IllegalArgumentException",
                           "The allowed lateness cannot be negative.");
    const char *late_tag = topology_text(s, "lateTag", NULL);
    if (late_tag && *late_tag == '\0')
        return RASKI_THROW(err, "IllegalArgumentException", "OutputTag id must not be empty.");
    return RASK_OK;
}

/* --- keyed windows -----------------------------------------------------------------------------
 */

static rask_status window_transform(topology_step *s, const topology_value *input,
                                    const window_parts *parts, const char *functions,
                                    const char *type, topology_value *ret_value, raski_error *err) {
    raski_operator_factory factory = {
        .simple = true,
        .supports_async_state = true,
        .output_only_after_end_of_stream = strcmp(parts->trigger, "EndOfStreamTrigger") == 0};
    RASKI_TRY(topology_transform(s, input, parts->assigner, type, &factory, ret_value, err));
    ret_value->transformation->description = raski_arena_format(
        s->topology->graph->arena, "Window(%s, %s, %s%s%s)", parts->assigner_text, parts->trigger,
        parts->evictor ? parts->evictor : "", parts->evictor ? ", " : "", functions);
    return RASK_OK;
}

rask_status topology_end_of_stream_window(topology_step *s, const topology_value *input,
                                          const char *functions, topology_value *ret_value,
                                          raski_error *err) {
    static const window_parts parts = {.assigner = "GlobalWindows",
                                       .assigner_text = "GlobalWindows(trigger=EndOfStreamTrigger)",
                                       .trigger = "EndOfStreamTrigger"};
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

/* Where the API itself calls on, Flink's stack trace shows its own source. */
#define REDUCE_PLACE "reduce(AllWindowedStream.java:230)"
#define AGGREGATE_PLACE "aggregate(AllWindowedStream.java:567)"
#define CALLER_PLACE "main(FILE:LINE)"

typedef struct all_apply_kind {
    const char *name;
    const char *descriptor; /* state descriptor without evictor; NULL: a list of the records */
    const char *place;
    bool is_description; /* the text describes the operator; otherwise it is (Flink's slip) its name
                          */
    bool has_out;
} all_apply_kind;

static const all_apply_kind all_apply_kinds[] = {
    {"reduce", "ReducingStateDescriptor", REDUCE_PLACE, true, false},
    {"reduce+window", "ReducingStateDescriptor", CALLER_PLACE, true, true},
    {"reduce+process", "ReducingStateDescriptor", CALLER_PLACE, false, true},
    {"aggregate", "AggregatingStateDescriptor", AGGREGATE_PLACE, false, true},
    {"aggregate+window", "AggregatingStateDescriptor", CALLER_PLACE, false, true},
    {"aggregate+process", "AggregatingStateDescriptor", CALLER_PLACE, true, true},
    {"apply", NULL, CALLER_PLACE, false, true},
    {"process", NULL, CALLER_PLACE, false, true},
};

static const char *all_window_text(topology_step *s, const topology_value *input,
                                   const window_parts *parts, const all_apply_kind *kind) {
    bool list = kind->descriptor == NULL || parts->evictor != NULL;
    const char *trigger = parts->trigger_text;
    if (trigger == NULL)
        trigger =
            "org.apache.flink.streaming.api.windowing.assigners.GlobalWindows$NeverTrigger"
            "@HASH";
    return raski_arena_format(
        s->topology->graph->arena,
        "TriggerWindow(%s, %s{name=window-contents, defaultValue=null, serializer=%s@HASH}, %s, "
        "%s%sAllWindowedStream.%s)",
        parts->assigner_text, list ? "ListStateDescriptor" : kind->descriptor,
        list ? "org.apache.flink.api.common.typeutils.base.ListSerializer"
             : topology_type_of(s, input->transformation)->serializer,
        trigger, parts->evictor ? parts->evictor_text : "", parts->evictor ? ", " : "",
        kind->place);
}

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
    const char *text = all_window_text(s, &input, &parts, kind);
    RASKI_TRY(topology_transform(s, &keyed, kind->is_description ? parts.assigner : text,
                                 kind->has_out ? out : input.transformation->output_type, &factory,
                                 ret_value, err));
    if (kind->is_description) ret_value->transformation->description = text;
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
