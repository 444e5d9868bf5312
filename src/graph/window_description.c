#include "graph/window_description.h"

raski_operator_factory raski_window_factory(const raski_window_program *program) {
    return (raski_operator_factory){
        .simple = true,
        .supports_async_state = true,
        .output_only_after_end_of_stream = program->trigger->kind == RASKI_TRIGGER_END_OF_STREAM};
}

const char *raski_window_description(const raski_window_program *program, const char *functions,
                                     raski_arena *arena) {
    const bool evicts = program->evictor->kind != RASKI_EVICTOR_NONE;
    return raski_arena_format(
        arena, "Window(%s, %s, %s%s%s)", raski_window_assigner_text(program->assigner, arena),
        raski_trigger_class(program->trigger), evicts ? raski_evictor_class(program->evictor) : "",
        evicts ? ", " : "", functions);
}

typedef struct all_apply {
    const char *descriptor; /* of the state without evictor; NULL: a list of the records */
    const char *place; /* Flink's own source where the API itself calls on; NULL: the caller's */
    bool is_description;
} all_apply;

static const all_apply all_applies[] = {
    [RASKI_WINDOW_ALL_REDUCE] = {"ReducingStateDescriptor", "reduce(AllWindowedStream.java:230)",
                                 true},
    [RASKI_WINDOW_ALL_REDUCE_WINDOW] = {"ReducingStateDescriptor", NULL, true},
    [RASKI_WINDOW_ALL_REDUCE_PROCESS] = {"ReducingStateDescriptor", NULL, false},
    [RASKI_WINDOW_ALL_AGGREGATE] = {"AggregatingStateDescriptor",
                                    "aggregate(AllWindowedStream.java:567)", false},
    [RASKI_WINDOW_ALL_AGGREGATE_WINDOW] = {"AggregatingStateDescriptor", NULL, false},
    [RASKI_WINDOW_ALL_AGGREGATE_PROCESS] = {"AggregatingStateDescriptor", NULL, true},
    [RASKI_WINDOW_ALL_APPLY] = {NULL, NULL, false},
};

const char *raski_window_all_description(const raski_window_program *program,
                                         raski_window_all_apply apply, const char *serializer,
                                         const char *place, raski_arena *arena,
                                         bool *ret_is_description) {
    const all_apply *kind = &all_applies[apply];
    const bool evicts = program->evictor->kind != RASKI_EVICTOR_NONE;
    const bool list = kind->descriptor == NULL || evicts;
    *ret_is_description = kind->is_description;
    return raski_arena_format(
        arena,
        "TriggerWindow(%s, %s{name=window-contents, defaultValue=null, serializer=%s@HASH}, %s, "
        "%s%sAllWindowedStream.%s)",
        raski_window_assigner_text(program->assigner, arena),
        list ? "ListStateDescriptor" : kind->descriptor,
        list ? "org.apache.flink.api.common.typeutils.base.ListSerializer" : serializer,
        raski_trigger_text(program->trigger, arena),
        evicts ? raski_evictor_text(program->evictor, arena) : "", evicts ? ", " : "",
        kind->place != NULL ? kind->place : place);
}
