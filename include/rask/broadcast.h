/* rask/broadcast.h - a stream of records and a stream of rules that every subtask gets: the rules are
 * kept in broadcast state, and the records are processed with them.
 *
 *   typedef struct {
 *       rask_value(int64_t) count;                    keyed state, per key
 *       rask_map_state(rask_string, rule) rules;      broadcast state, the same everywhere
 *   } detector;
 *   RASK_STATE(detector, count);
 *   RASK_BROADCAST_STATE(detector, (rules, rask_string, rule));
 *
 *   RASK_KEYED_BROADCAST_PROCESS(detect, detector, self, event, e, rule, alert, out) {
 *       const rule *r = rask_map_get(self->rules, e.kind);
 *       ...
 *   }
 *   RASK_ON_BROADCAST(detect, self, r, out) { rask_map_put(self->rules, r.name, r); }
 *
 *   rask_stream(alert) alerts = rask_connect(rask_key_by(events, user), rask_broadcast(rules), detect);
 *
 * Broadcast state can be changed only in RASK_ON_BROADCAST, which must do the same in every subtask; the
 * body reads it. Flink: KeyedBroadcastProcessFunction, BroadcastProcessFunction, BroadcastState. */
#ifndef RASK_BROADCAST_H
#define RASK_BROADCAST_H
#include "rask/state.h"
#include "rask/stream.h"

#ifndef __cplusplus
/* The broadcast states of an instance struct: rask_map_state fields that are not in RASK_STATE. */
#define RASK_BROADCAST_STATE(SELF, ...) \
    RASKI_EACH(RASKI_STATE_CHECK, SELF, __VA_ARGS__) \
    RASKI_UNUSED static const raski_state_field raski_broadcast_fields_##SELF[] = { \
        RASKI_EACH(RASKI_STATE, SELF, __VA_ARGS__)}; \
    RASKI_UNUSED static const raski_states raski_broadcast_states_##SELF = { \
        #SELF, sizeof(SELF), raski_broadcast_fields_##SELF, RASKI_COUNT(__VA_ARGS__)}; \
    struct raski_semicolon

#define RASKI_BROADCAST_PROCESS_(fn, KIND, handle, take, SELF, self_p, IN, in_p, RULE, OUT, out_p) \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_out_##OUT *out_p); \
    static void raski_second_##fn(SELF *self_p, RULE in_, rask_out_##OUT *out_p); \
    typedef RULE raski_in2_##fn; \
    typedef OUT raski_outrec_##fn; \
    typedef rask_out_##OUT raski_out_##fn; \
    RASKI_HOOKS(fn, SELF) \
    RASKI_EMIT_LOOP(raski_run_##fn, IN, OUT, (KIND) == RASKI_FN_KEYED_BROADCAST_PROCESS, \
                    fn((SELF *)s_, i_[k_], &out_)) \
    RASKI_EMIT_LOOP(raski_run2_##fn, RULE, OUT, false, \
                    raski_second_##fn((SELF *)s_, i_[k_], &out_)) \
    RASKI_UNUSED static const struct { \
        raski_fn base; \
        raski_stream *(*connect_takes)(rask_##handle##_##IN); \
        raski_stream *(*second_takes)(rask_stream_##RULE); \
        rask_stream_##OUT out; \
    } raski_fn_##fn = {.base = {.abi = RASKI_FN_ABI, .size = sizeof(raski_fn), .name = #fn, \
                                .file = __FILE__, .line = __LINE__, .kind = KIND, \
                                .in = &rask_type_##IN, .in2 = &rask_type_##RULE, \
                                .out = &rask_type_##OUT, .run = raski_run_##fn, \
                                .run2 = raski_run2_##fn, \
                                .broadcast = &raski_broadcast_states_##SELF, \
                                RASKI_HOOKED(fn, SELF)}, \
                       .connect_takes = take##IN, \
                       .second_takes = raski_take_##RULE}; \
    RASKI_BODY void fn(SELF *self_p, IN in_p, rask_out_##OUT *out_p)
/* The body is for the records, RASK_ON_BROADCAST(fn, self, rule, out) for the rules. SELF has both
 * RASK_STATE (or RASK_INSTANCE) and RASK_BROADCAST_STATE. With timers (RASK_ON_TIMER). */
#define RASK_KEYED_BROADCAST_PROCESS(fn, SELF, self_p, IN, in_p, RULE, OUT, out_p) \
    RASKI_BROADCAST_PROCESS_(fn, RASKI_FN_KEYED_BROADCAST_PROCESS, keyed, raski_take_keyed_, SELF, \
                             self_p, IN, in_p, RULE, OUT, out_p)
/* The same without keys. */
#define RASK_BROADCAST_PROCESS(fn, SELF, self_p, IN, in_p, RULE, OUT, out_p) \
    RASKI_BROADCAST_PROCESS_(fn, RASKI_FN_BROADCAST_PROCESS, stream, raski_take_, SELF, self_p, \
                             IN, in_p, RULE, OUT, out_p)
#define RASK_ON_BROADCAST(fn, self_p, in_p, out_p) \
    static void raski_second_##fn(RASKI_UNUSED raski_self_##fn *self_p, \
                                  RASKI_UNUSED raski_in2_##fn in_p, \
                                  RASKI_UNUSED raski_out_##fn *out_p)
#endif /* !__cplusplus */
#endif
