/* topology_private.h - what the readers of the kinds of steps share. */
#ifndef RASKI_GRAPH_TOPOLOGY_PRIVATE_H
#define RASKI_GRAPH_TOPOLOGY_PRIVATE_H
#include "graph/topology.h"

/* What a step made: the DataStream API's class of it. */
typedef enum topology_value_kind {
    TOPOLOGY_NOTHING,
    TOPOLOGY_STREAM,      /* DataStream: a partitioning, a union */
    TOPOLOGY_OPERATOR,    /* SingleOutputStreamOperator: takes modifiers */
    TOPOLOGY_KEYED,       /* KeyedStream */
    TOPOLOGY_SIDE_OUTPUT, /* SideOutputDataStream */
    TOPOLOGY_CACHED,      /* CachedDataStream */
    TOPOLOGY_BROADCAST,   /* BroadcastStream: no DataStream */
    TOPOLOGY_SINK,        /* DataStreamSink: takes modifiers, no DataStream */
} topology_value_kind;

typedef struct topology_value {
    topology_value_kind kind;
    raski_transformation *transformation;
    const raski_key *key; /* KEYED */
} topology_value;

/* A Flink type as far as the API looks into it. */
typedef struct topology_type {
    const char *text;        /* its toString */
    const char *simple_name; /* of its class, for messages; NULL: not a basic type */
    const char *serializer;  /* class of its serializer */
    size_t arity;            /* of a tuple; 0: no tuple */
    const struct topology_type *fields[2];
} topology_type;

typedef struct topology_scope {
    raski_map labels;  /* text -> topology_value *, NULL for nothing */
    bool is_outermost; /* the file's own steps, not those of a sink */
} topology_scope;

struct raski_topology {
    const json_t *document;
    raski_transformation_graph *graph;
    raski_plan_env *env;
    raski_map others;       /* name -> raski_plan_env * */
    raski_map keys;         /* name -> id of a key selector */
    raski_map partitioners; /* name -> id of a custom partitioner */
    uint64_t anonymous_ids; /* selectors that are equal to no other */
    int step_count, cache_count;
    const char *job_name;
    RASKI_VEC(const json_t *) steps; /* by number, as they were started */
    raski_topology_place place;      /* what is being read; of interest after a failure */
};

enum { TOPOLOGY_FIELDS_MAX = 48 }; /* fields that one step looks at */

typedef struct topology_step {
    raski_topology *topology;
    const json_t *json;
    topology_scope *scope;
    topology_value last; /* what the step before made */
    int index;
    const char *op;
    const char *used[TOPOLOGY_FIELDS_MAX];
    size_t used_count;
} topology_step;

/* Says what is being looked at, for the place of an error. */
void topology_look_at(raski_topology *topology, const json_t *object, const char *field);
/* Exception "Bad" with "step N (op): " before the text. */
rask_status topology_bad(const topology_step *s, raski_error *err, const char *format, ...)
    RASKI_PRINTF(3, 4);

/* --- topology_fields.c: fields of a step, converted as Jackson does. Looking at one marks it as
 * known. Texts live in the graph's arena. --- */
void topology_use(topology_step *s, const char *field);
bool topology_is_used(const topology_step *s, const char *field);
bool topology_has(topology_step *s, const char *field);
const char *topology_text(topology_step *s, const char *field, const char *otherwise);
int64_t topology_number(topology_step *s, const char *field, int64_t otherwise);
bool topology_flag(topology_step *s, const char *field, bool otherwise);
rask_status topology_need(topology_step *s, const char *field, const char **ret_text,
                          raski_error *err);
const char *topology_as_text(raski_arena *arena, const json_t *value);
int64_t topology_as_number(const json_t *value);
double topology_as_double(const json_t *value);
bool topology_as_flag(const json_t *value);
/* Index of text among the names (NULL-terminated); otherwise Flink's IllegalArgumentException. */
rask_status topology_enum_of(const char *text, const char *const *names, const char *java_class,
                             int *ret_index, raski_error *err);
rask_status topology_chaining_strategy(const char *text, raski_chaining_strategy *ret_strategy,
                                       raski_error *err);
rask_status topology_slot_sharing_group(raski_arena *arena, const json_t *json,
                                        raski_slot_sharing_group *ret_group, raski_error *err);
rask_status topology_resource_spec(raski_arena *arena, const json_t *json,
                                   raski_resource_spec *ret_spec, raski_error *err);

/* --- topology_inputs.c: inputs, types, keys --- */
/* All inputs; the caller frees the array with raski_free. */
rask_status topology_inputs(topology_step *s, topology_value **ret_values, size_t *ret_count,
                            raski_error *err);
rask_status topology_one(topology_step *s, topology_value *ret_value, raski_error *err);
rask_status topology_two(topology_step *s, topology_value ret_values[2], raski_error *err);
rask_status topology_need_stream(topology_step *s, const topology_value *value, raski_error *err);
rask_status topology_need_keyed(topology_step *s, const topology_value *value, raski_error *err);
extern const topology_type topology_record, topology_string, topology_long, topology_int;
/* Type of a transformation's output; for others than the file's own types a plain name. */
const topology_type *topology_type_of(topology_step *s, const raski_transformation *t);
/* The type named by field. */
rask_status topology_type_field(topology_step *s, const char *field, const topology_type *otherwise,
                                const topology_type **ret_type, raski_error *err);
/* Text of the type named by field "out", or else of the input. */
rask_status topology_out_type(topology_step *s, const raski_transformation *input,
                              const char **ret_text, raski_error *err);
uint64_t topology_id_of(raski_map *ids, const char *name);
/* The selector named by field, or one of its own. */
raski_key_selector topology_selector(topology_step *s, const char *field);
raski_key_selector topology_anonymous_selector(topology_step *s);
const raski_key *topology_make_key(topology_step *s, raski_key_selector selector, const char *type,
                                   bool async_state);
/* The environment of a source. */
rask_status topology_source_env(topology_step *s, raski_plan_env **ret_env, raski_error *err);
/* keyBy without further settings. */
topology_value topology_key_by(topology_step *s, const topology_value *input,
                               raski_key_selector selector, const char *type);
/* stream.transform: keyed if the input is, asynchronous if that is. */
rask_status topology_transform(topology_step *s, const topology_value *input, const char *name,
                               const char *out_type, const raski_operator_factory *factory,
                               topology_value *ret_value, raski_error *err);
/* "Tried to select 7. field ..." */
rask_status topology_check_field(topology_step *s, const raski_transformation *input, int64_t field,
                                 const topology_type **ret_type, raski_error *err);
/* Checks of SumAggregator (sum) and ComparableAggregator. */
rask_status topology_check_aggregate(topology_step *s, const raski_transformation *input, bool sum,
                                     raski_error *err);

/* --- the operations --- */
typedef rask_status (*topology_operation)(topology_step *s, topology_value *ret_value,
                                          raski_error *err);
typedef struct topology_operation_entry {
    const char *op;
    topology_operation make;
} topology_operation_entry;
extern const topology_operation_entry topology_sources[], topology_operators[],
    topology_partitionings[], topology_connections[], topology_windows[], topology_sinks[];

/* Parts of the custom operator (transform) that one and many inputs share. */
rask_status topology_custom_factory(topology_step *s, raski_operator_factory *ret_factory,
                                    raski_error *err);
rask_status topology_many_inputs(topology_step *s, topology_value *ret_value, raski_error *err);
/* keyed.window(GlobalWindows.createWithEndOfStreamTrigger()): keyed partition windows. */
rask_status topology_end_of_stream_window(topology_step *s, const topology_value *input,
                                          const char *functions, topology_value *ret_value,
                                          raski_error *err);

/* --- topology_modifiers.c --- */
rask_status topology_modify(topology_step *s, const topology_value *made, raski_error *err);

/* --- for hints: the name that is most like one, NULL when none is near --- */
const char *topology_nearest_field(const char *name); /* of steps; topology_check.c */
const char *topology_nearest_op(const char *op);      /* topology.c */

/* --- topology.c --- */
/* Runs a list of steps; before: what the first step takes by default. */
rask_status topology_run(raski_topology *topology, const json_t *steps, topology_scope *scope,
                         topology_value before, topology_value *ret_last, raski_error *err);
#endif
