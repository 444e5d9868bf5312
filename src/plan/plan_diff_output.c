/* plan_diff_output.c - diffs for people and for machines. */
#include "plan/plan_diff.h"
#include "plan/plan_text.h"

/* --- text ---------------------------------------------------------------------------------------
 */

static const raski_plan_operator *at(const raski_plan_operators *plan, size_t place) {
    return place == RASKI_PLAN_NO_OPERATOR ? NULL : &plan->items[place];
}

static const char *hex_of(raski_id id) {
    static _Thread_local char hex[RASKI_ID_HEX_SIZE];
    return raski_id_to_hex(id, hex);
}

/* Text of a program may hold anything. */
static void show(raski_str *out, const char *before, const char *text) {
    const raski_plan_writer writer = {.out = out};
    raski_str_append(out, before);
    raski_plan_write(&writer, RASKI_PLAN_PLAIN, text);
}

static void print_operator(raski_str *out, const raski_plan_operator *op) {
    show(out, "", op->name);
    show(out, "  [", op->kind);
    if (op->uid != NULL) show(out, "]  uid ", op->uid);
    if (op->where != NULL) show(out, op->uid != NULL ? "  (" : "]  (", op->where);
    raski_str_append(out, op->where != NULL ? ")\n" : op->uid != NULL ? "\n" : "]\n");
}

static void print_operators(const raski_plan_diff *diff, raski_str *out) {
    static const char signs[] = {'=', '~', '+', '-'};
    raski_str_appendf(out, "Operators: %zu stay, %zu change their id, %zu appear, %zu vanish\n",
                      diff->counts[RASKI_CHANGE_STAYS], diff->counts[RASKI_CHANGE_NEW_ID],
                      diff->counts[RASKI_CHANGE_APPEARS], diff->counts[RASKI_CHANGE_VANISHES]);
    for (size_t i = 0; i < diff->operators.count; i++) {
        const raski_plan_diff_operator *entry = &diff->operators.items[i];
        const raski_plan_operator *was = at(diff->old_plan, entry->old_place);
        const raski_plan_operator *is = at(diff->new_plan, entry->new_place);
        const raski_plan_operator *shown = is != NULL ? is : was;
        raski_str_appendf(out, "  %c %s  ", signs[entry->change],
                          hex_of(was != NULL ? was->id : is->id));
        print_operator(out, shown);
        if (entry->change != RASKI_CHANGE_NEW_ID) continue;
        raski_str_appendf(out, "    %s  now (%s)\n", hex_of(is->id), entry->likeness);
        if (entry->cause == NULL) continue;
        show(out, "      because ", entry->cause);
        raski_str_append_char(out, '\n');
    }
}

static void print_state(const raski_plan_diff *diff, const raski_plan_diff_state *state,
                        raski_str *out) {
    static const char *const labels[] = {"maps   ", "LOST   ", "REFUSED"};
    const raski_plan_operator *was = at(diff->old_plan, state->old_place);
    const raski_plan_operator *is = at(diff->new_plan, state->new_place);
    raski_str_appendf(out, "  %s ", labels[state->fate]);
    show(out, "", was->name);
    raski_str_append(out, ": ");
    if (was->states != 0)
        raski_plan_states_describe(was->states, out);
    else
        raski_str_append(out, "no state of its own, but an entry in the savepoint");
    if (state->by != NULL) raski_str_appendf(out, ", by %s", state->by);
    raski_str_append_char(out, '\n');
    if (state->fate == RASKI_STATE_MAPS) return;
    raski_str_appendf(out, "          id in the savepoint: %s\n", hex_of(was->id));
    if (is == NULL)
        raski_str_append(out, "          likely match: none");
    else if (state->fate == RASKI_STATE_LOST)
        raski_str_appendf(out, "          likely match: %s ", hex_of(is->id));
    if (is != NULL && state->fate == RASKI_STATE_LOST) show(out, "", is->name);
    show(out, "\n          cause: ", state->cause);
    show(out, "\n          remedy: ", state->remedy);
    raski_str_append_char(out, '\n');
}

static void print_beginners(const raski_plan_diff *diff, raski_str *out) {
    if (diff->beginners.count == 0) return;
    raski_str_append(out, "\nState that begins empty in NEW\n");
    for (size_t i = 0; i < diff->beginners.count; i++) {
        const raski_plan_operator *is = at(diff->new_plan, diff->beginners.items[i].new_place);
        const raski_plan_operator *was = at(diff->old_plan, diff->beginners.items[i].old_place);
        raski_str_appendf(out, "  %s ", hex_of(is->id));
        show(out, "", is->name);
        raski_str_append(out, ": ");
        raski_plan_states_describe(is->states, out);
        if (was != NULL) {
            raski_str_appendf(out, "; likely match in OLD: %s ", hex_of(was->id));
            show(out, "", was->name);
        }
        raski_str_append_char(out, '\n');
    }
}

static void print_warnings(const raski_plan_diff *diff, raski_str *out) {
    if (diff->warnings.count == 0) return;
    raski_str_append(out, "\nWarnings\n");
    for (size_t i = 0; i < diff->warnings.count; i++) {
        const raski_plan_diff_warning *warning = &diff->warnings.items[i];
        const raski_plan_operator *op =
            at(warning->in_old ? diff->old_plan : diff->new_plan, warning->place);
        show(out, warning->in_old ? "  OLD: " : "  NEW: ", op->name);
        if (op->where != NULL) show(out, ", ", op->where);
        show(out, ": ", warning->what);
        raski_str_appendf(out, " [%s]\n       remedy: ", warning->code);
        show(out, "", warning->remedy);
        raski_str_append_char(out, '\n');
    }
}

void raski_plan_diff_print(const raski_plan_diff *diff, raski_str *out) {
    print_operators(diff, out);
    raski_str_appendf(out, "\nState in a savepoint of OLD: %zu of %zu map\n",
                      diff->fates[RASKI_STATE_MAPS], diff->states.count);
    for (size_t i = 0; i < diff->states.count; i++) print_state(diff, &diff->states.items[i], out);
    print_beginners(diff, out);
    print_warnings(diff, out);
    raski_str_append(out, raski_plan_diff_fits(diff) ? "\nA savepoint of OLD fits NEW.\n"
                                                     : "\nA savepoint of OLD does not fit NEW.\n");
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static json_t *text(const char *value) {
    return value != NULL ? json_string_nocheck(value) : json_null();
}

static json_t *states_to_json(unsigned states) {
    json_t *names = json_array();
    for (int i = 0; i < RASKI_PLAN_STATES; i++)
        if (states & 1U << i)
            json_array_append_new(names,
                                  json_string(raski_plan_state_name((raski_plan_state)(1U << i))));
    return names;
}

static json_t *operator_to_json(const raski_plan_operator *op) {
    if (op == NULL) return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "node", json_integer(op->node));
    json_object_set_new(object, "name", text(op->name));
    json_object_set_new(object, "type", text(op->kind));
    json_object_set_new(object, "where", text(op->where));
    json_object_set_new(object, "id", json_string(hex_of(op->id)));
    json_object_set_new(object, "uid", text(op->uid));
    json_object_set_new(object, "uidHash",
                        op->has_user_id ? json_string(hex_of(op->user_id)) : json_null());
    json_object_set_new(object, "parallelism", json_integer(op->parallelism));
    json_object_set_new(object, "maxParallelism", json_integer(op->max_parallelism));
    json_object_set_new(object, "state", states_to_json(op->states));
    return object;
}

static json_t *entry_to_json(const raski_plan_diff *diff, const raski_plan_diff_operator *entry) {
    json_t *object = json_object();
    json_object_set_new(object, "change", json_string(raski_plan_change_name(entry->change)));
    json_object_set_new(object, "old", operator_to_json(at(diff->old_plan, entry->old_place)));
    json_object_set_new(object, "new", operator_to_json(at(diff->new_plan, entry->new_place)));
    json_object_set_new(object, "likeness", text(entry->likeness));
    json_object_set_new(object, "cause", text(entry->cause));
    return object;
}

static json_t *name_and_id(const raski_plan_operator *op) {
    return op != NULL ? json_pack("{s:o,s:s}", "name", text(op->name), "id", hex_of(op->id))
                      : json_null();
}

static json_t *state_to_json(const raski_plan_diff *diff, const raski_plan_diff_state *state) {
    const raski_plan_operator *was = at(diff->old_plan, state->old_place);
    const raski_plan_operator *is = at(diff->new_plan, state->new_place);
    json_t *object = json_object();
    json_object_set_new(object, "fate", json_string(raski_state_fate_name(state->fate)));
    json_object_set_new(object, "id", json_string(hex_of(was->id)));
    json_object_set_new(object, "operator", text(was->name));
    json_object_set_new(object, "state", states_to_json(was->states));
    json_object_set_new(object, "by", text(state->by));
    json_object_set_new(object, state->fate == RASKI_STATE_LOST ? "likelyMatch" : "target",
                        name_and_id(is));
    json_object_set_new(object, "cause", text(state->cause));
    json_object_set_new(object, "remedy", text(state->remedy));
    return object;
}

static json_t *beginner_to_json(const raski_plan_diff *diff,
                                const raski_plan_diff_beginner *beginner) {
    const raski_plan_operator *op = at(diff->new_plan, beginner->new_place);
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(hex_of(op->id)));
    json_object_set_new(object, "operator", text(op->name));
    json_object_set_new(object, "state", states_to_json(op->states));
    json_object_set_new(object, "likelyMatch",
                        name_and_id(at(diff->old_plan, beginner->old_place)));
    return object;
}

static json_t *warning_to_json(const raski_plan_diff *diff,
                               const raski_plan_diff_warning *warning) {
    const raski_plan_operator *op =
        at(warning->in_old ? diff->old_plan : diff->new_plan, warning->place);
    json_t *object = json_object();
    json_object_set_new(object, "code", json_string(warning->code));
    json_object_set_new(object, "in", json_string(warning->in_old ? "old" : "new"));
    json_object_set_new(object, "operator", text(op->name));
    json_object_set_new(object, "id", json_string(hex_of(op->id)));
    json_object_set_new(object, "where", text(op->where));
    json_object_set_new(object, "what", text(warning->what));
    json_object_set_new(object, "remedy", text(warning->remedy));
    return object;
}

json_t *raski_plan_diff_to_json(const raski_plan_diff *diff) {
    json_t *operators = json_array(), *states = json_array(), *beginners = json_array();
    json_t *warnings = json_array();
    for (size_t i = 0; i < diff->operators.count; i++)
        json_array_append_new(operators, entry_to_json(diff, &diff->operators.items[i]));
    for (size_t i = 0; i < diff->states.count; i++)
        json_array_append_new(states, state_to_json(diff, &diff->states.items[i]));
    for (size_t i = 0; i < diff->beginners.count; i++)
        json_array_append_new(beginners, beginner_to_json(diff, &diff->beginners.items[i]));
    for (size_t i = 0; i < diff->warnings.count; i++)
        json_array_append_new(warnings, warning_to_json(diff, &diff->warnings.items[i]));
    json_t *document = json_object();
    json_object_set_new(document, "fits", json_boolean(raski_plan_diff_fits(diff)));
    json_object_set_new(document, "operators", operators);
    json_object_set_new(document, "state", states);
    json_object_set_new(document, "beginsEmpty", beginners);
    json_object_set_new(document, "warnings", warnings);
    return document;
}
