#include "task/input_selection.h"

#include <string.h>

#include "types/layout.h"

/* Records or an event of one input, as they came. */
typedef struct item {
    struct item *next;
    char *records; /* owned, with all they point to; NULL: an event */
    int64_t *timestamps;
    size_t count, done;
    raski_watermark_change change;
    bool is_end;
} item;

typedef struct input_queue {
    item *first, *last;
    raski_layout *layout;
    bool ended; /* its end was handed on */
} input_queue;

struct raski_input_selection {
    raski_operator *op;
    unsigned input_count;
    uint32_t chosen;
    bool asked;
    unsigned turn; /* of several chosen inputs the next one */
    input_queue queues[];
};

bool raski_input_selection_is_wanted(const raski_operator *op) {
    const raski_fn *fn = op->def->fn;
    return fn != NULL && fn->select != NULL && fn->select->select != NULL;
}

raski_input_selection *raski_input_selection_create(raski_operator *op) {
    const unsigned n = raski_operator_definition_input_count(op->def);
    raski_input_selection *s = raski_calloc(1, sizeof *s + n * sizeof s->queues[0]);
    s->op = op;
    s->input_count = n;
    for (unsigned i = 0; i < n; i++)
        s->queues[i].layout = raski_layout_create(raski_operator_definition_input(op->def, i).type);
    return s;
}

static void item_free(input_queue *queue, item *it) {
    for (size_t i = 0; i < it->count; i++)
        raski_record_disown(queue->layout, it->records + i * queue->layout->size);
    raski_free(it->records);
    raski_free(it->timestamps);
    raski_free(it);
}

void raski_input_selection_destroy(raski_input_selection *selection_take_or_null) {
    raski_input_selection *s = selection_take_or_null;
    if (s == NULL) return;
    for (unsigned i = 0; i < s->input_count; i++) {
        while (s->queues[i].first != NULL) {
            item *it = s->queues[i].first;
            s->queues[i].first = it->next;
            item_free(&s->queues[i], it);
        }
        raski_layout_destroy(s->queues[i].layout);
    }
    raski_free(s);
}

static item *append(raski_input_selection *s, unsigned input) {
    item *it = RASKI_NEW(item);
    input_queue *queue = &s->queues[input];
    if (queue->last != NULL && queue->first != NULL)
        queue->last->next = it;
    else
        queue->first = it;
    queue->last = it;
    return it;
}

void raski_input_selection_add(raski_input_selection *selection, unsigned input,
                               const void *records, const int64_t *timestamps, size_t n) {
    const raski_layout *layout = selection->queues[input].layout;
    raski_error error = {0};
    item *it = append(selection, input);
    it->records = raski_try_alloc(n * layout->size, 64);
    if (it->records == NULL) {
        (void)RASKI_FAIL(&error, RASK_E_NOMEM, EXTERNAL, "no memory for records that wait");
        raski_operator_fail(selection->op, &error);
        return;
    }
    memcpy(it->records, records, n * layout->size);
    for (; it->count < n; it->count++) {
        char *record = it->records + it->count * layout->size;
        if (raski_record_own(layout, record, record, &error) == RASK_OK) continue;
        raski_operator_fail(selection->op, &error);
        return;
    }
    if (timestamps != NULL) it->timestamps = raski_memdup(timestamps, n * sizeof *timestamps);
}

void raski_input_selection_add_change(raski_input_selection *selection, unsigned input,
                                      const raski_watermark_change *change) {
    if (!change->has_status && !change->has_watermark) return;
    append(selection, input)->change = *change;
}

void raski_input_selection_end(raski_input_selection *selection, unsigned input) {
    append(selection, input)->is_end = true;
}

/* Which inputs have not ended. */
static uint32_t open_inputs(const raski_input_selection *s) {
    uint32_t open = 0;
    for (unsigned i = 0; i < s->input_count; i++)
        if (!s->queues[i].ended) open |= UINT32_C(1) << i;
    return open;
}

static void choose(raski_input_selection *s) {
    raski_operator *op = s->op;
    const uint32_t open = open_inputs(s);
    raski_operator_enter(op);
    s->asked = true;
    s->chosen = op->def->fn->select->select(op->self) & open;
    if (s->chosen != 0 || open == 0 || op->env->failed) return;
    (void)rask_fail("the function chooses no input that has not ended: nothing can go on");
}

/* Hands the first thing on; true when it was a record. */
static bool feed(raski_input_selection *s, unsigned input) {
    input_queue *queue = &s->queues[input];
    item *it = queue->first;
    const bool is_record = it->done < it->count;
    if (is_record) {
        char *record = it->records + it->done * queue->layout->size;
        int64_t *timestamp = it->timestamps != NULL ? it->timestamps + it->done : NULL;
        it->done++;
        raski_operator_process(s->op, input, record, timestamp, 1, false);
    } else if (it->is_end) {
        queue->ended = true;
        raski_operator_end_input(s->op, input);
    } else {
        raski_operator_watermark_change(s->op, input, &it->change);
    }
    if (it->done == it->count) {
        queue->first = it->next;
        if (queue->first == NULL) queue->last = NULL;
        item_free(queue, it);
    }
    return is_record;
}

/* The next chosen input that has something, in turn; input_count: none. */
static unsigned next_input(raski_input_selection *s) {
    for (unsigned i = 0; i < s->input_count; i++) {
        const unsigned input = (s->turn + i) % s->input_count;
        if ((s->chosen >> input & 1U) == 0 || s->queues[input].first == NULL) continue;
        s->turn = input + 1;
        return input;
    }
    return s->input_count;
}

void raski_input_selection_run(raski_input_selection *selection) {
    raski_input_selection *s = selection;
    if (!s->asked) choose(s);
    while (!s->op->env->failed) {
        const unsigned input = next_input(s);
        if (input == s->input_count) return;
        const bool was_open = !s->queues[input].ended;
        if (feed(s, input) || (was_open && s->queues[input].ended)) choose(s);
    }
}

bool raski_input_selection_wants(const raski_input_selection *selection, unsigned input) {
    return selection->queues[input].first == NULL;
}
