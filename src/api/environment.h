/* environment.h - the insides of rask_env and raski_stream, shared by the files of src/api.
 * An environment owns everything that its program is made of: transformations, definitions, keys,
 * connectors. The first mistake of any building call is kept in it. Threads: one owner. */
#ifndef RASKI_API_ENVIRONMENT_H
#define RASKI_API_ENVIRONMENT_H
#include "api/running.h"
#include "base/vec.h"
#include "config/configuration.h"
#include "connectors/connectors.h"
#include "graph/stream_graph.h"
#include "graph/transformation.h"
#include "operators/definition.h"
#include "rask/rask.h"

struct raski_stream {
    rask_env *env;
    raski_transformation *transformation;
    const rask_type *type;
    raski_operator_definition *definition; /* of the operator that makes it; NULL: virtual */
    const raski_key_definition *key;       /* keyed streams */
    const raski_key *plan_key;             /* keyed streams: the same for the planner */
    bool stamped;                          /* its records carry timestamps */
    const struct raski_windows *windows;   /* windowed streams: window.c */
};

struct rask_env {
    raski_transformation_graph *graph;
    raski_plan_env *plan;
    raski_configuration *configuration; /* files, program, command line (the strongest) */
    raski_arena *arena;                 /* streams, keys, partition definitions */
    RASKI_VEC(raski_operator_definition *) definitions;
    RASKI_VEC(raski_connector) connectors;
    RASKI_VEC(rask_job_counter) counters; /* of the last run; names are owned */
    uint64_t next_identity;               /* of selectors and partitioners */
    raski_error error;                    /* of the first building call that failed */
    char where[512];                      /* its operator and place; "" when there is none */
};

/* Keeps the first mistake: error is set; name may be NULL. */
void raski_env_mistake(rask_env *env, const raski_error *error, const char *operator_name,
                       const char *file, int line);
void *raski_env_alloc(rask_env *env, size_t size); /* zeroed, as long as the environment */
/* A definition of a function with its initial instance (copied), checked; NULL after a mistake. */
raski_operator_definition *raski_env_define(rask_env *env, const raski_fn *fn,
                                            const rask_options *options, const char *file,
                                            int line);
/* The same for a connector, which is taken. */
raski_operator_definition *raski_env_define_connector(rask_env *env, raski_connector connector_take,
                                                      const char *name, const char *file, int line);
/* Options that planning reads; options may be of a program compiled against an older header. */
void raski_env_apply_options(rask_env *env, raski_transformation *t, const rask_options *options,
                             const char *file, int line);
/* "WHAT is not UTF-8"; text may be NULL. */
RASKI_NODISCARD rask_status raski_check_utf8(const char *what, const char *text, raski_error *err);
rask_options raski_options_read(const rask_options *options, size_t size);

/* ---- for building calls */
/* The stream of a transformation (NULL: broken). in: what it is made from, whose timestamps it
 * inherits; NULL: a source. def: of the operator that makes it, which becomes the transformation's
 * payload; NULL: virtual. */
raski_stream *raski_stream_create(rask_env *env, const raski_stream *in, raski_transformation *t,
                                  const rask_type *type, raski_operator_definition *def);
/* A source or a sink that runs def (NULL: a mistake was kept already), named name unless the
 * options say otherwise. bounded: ends by itself; parallel: of a legacy source, several subtasks
 * may run. */
raski_stream *raski_stream_source(rask_env *env, raski_operator_definition *def, const char *name,
                                  const rask_type *type, bool legacy, bool parallel, bool bounded,
                                  const rask_options *o, const char *file, int line);
void raski_stream_sink(raski_stream *in, raski_operator_definition *def, const char *name,
                       bool legacy, const rask_options *o, const char *file, int line);
/* What a building call gives after a mistake: it can be built on, and nothing of it runs. */
raski_stream *raski_stream_broken(rask_env *env, const rask_type *type);
bool raski_stream_is_broken(const raski_stream *stream);
/* Keeps the mistake and gives a broken stream. */
raski_stream *raski_stream_mistake(rask_env *env, const raski_error *error, const char *name,
                                   const rask_type *type, const char *file, int line);
/* Flink's text of a type, in the environment's arena. */
const char *raski_env_type_text(rask_env *env, const rask_type *type);
RASKI_NODISCARD rask_status raski_check_input(const raski_fn *fn, const rask_type *takes,
                                              const rask_type *carries, raski_error *err);
/* Reads a source's .timestamps and strategy into its definition. RASK_OK also when it has none. */
RASKI_NODISCARD rask_status raski_event_time_of_source(raski_operator_definition *def,
                                                       const rask_options *options,
                                                       raski_error *err);
/* in, partitioned by a key. */
raski_stream *raski_stream_keyed(raski_stream *in, raski_key_definition *key, const char *key_type,
                                 const char *file, int line);

/* A keyed stream, partitioned by its key once more. */
raski_stream *raski_stream_key_again(raski_stream *in, const char *file, int line);

/* Plans the program. Errors: the first mistake, or the planner's. */
RASKI_NODISCARD rask_status raski_env_plan(rask_env *env, const char *job_name,
                                           raski_stream_graph **ret_graph, raski_error *err);
/* After an error of planning: keeps where the user built the operator that it is about, if one. */
void raski_env_locate_mistake(rask_env *env, const raski_error *err);
/* The text of an error for people, with the operator and the place of the call. A heap string. */
char *raski_env_describe_mistake(const rask_env *env, const raski_error *err);
/* rask plan has started this program: it wants the plan of its job and no run. */
bool raski_env_plan_is_wanted(void);
/* Prints that plan on standard output, as environment variables ask: RASK_PLAN_GRAPH,
 * RASK_PLAN_FORMAT, RASK_PLAN_COLOR; behind a line "MARK STATUS BYTES" when there is a
 * RASK_PLAN_MARK (docs/plan.md). Destroys env and returns the exit code. */
int raski_env_print_plan(rask_env *env_take, const char *job_name);
/* Plans and runs. *ret_message gets the text that a person should read, a heap string, when the
 * status is neither RASK_OK nor RASK_E_CANCELLED. job has begun. show_progress: on a terminal. */
rask_status raski_env_run(rask_env *env, const char *job_name, raski_running_job *job,
                          bool show_progress, rask_job_result *ret_result, char **ret_message);
void raski_env_forget_counters(rask_env *env);
/* Prints how a job ended, unless it is well; gives the exit code. */
int raski_report(const char *job_name, const raski_running_job *job, rask_status status,
                 const char *message);
#endif
