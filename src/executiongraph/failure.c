#include "executiongraph/failure.h"

#include "base/alloc.h"

raski_failure *raski_failure_create(raski_error_class error_class, const char *exception,
                                    const char *format, ...) {
    raski_failure *failure = RASKI_NEW(raski_failure);
    failure->error_class = error_class;
    failure->exception = exception != NULL && exception[0] != '\0' ? raski_strdup(exception) : NULL;
    raski_str message = {0};
    va_list arguments;
    va_start(arguments, format);
    raski_str_vappendf(&message, format, arguments);
    va_end(arguments);
    failure->message = raski_str_steal(&message);
    return failure;
}

raski_failure *raski_failure_from_error(const raski_error *err) {
    RASKI_ASSERT(raski_error_is_set(err));
    raski_failure *failure =
        raski_failure_create(err->error_class, err->exception, "%s", err->message);
    if (err->status == RASK_FAILED) { /* rask_fail: a place in the user's program */
        failure->file = err->file;
        failure->line = err->line;
    }
    return failure;
}

raski_failure *raski_failure_copy(const raski_failure *failure_or_null) {
    if (failure_or_null == NULL) return NULL;
    raski_failure *copy = raski_memdup(failure_or_null, sizeof *copy);
    copy->exception = raski_strdup_or_null(failure_or_null->exception);
    copy->message = raski_strdup(failure_or_null->message);
    copy->task_name = raski_strdup_or_null(failure_or_null->task_name);
    copy->operator_name = raski_strdup_or_null(failure_or_null->operator_name);
    return copy;
}

void raski_failure_destroy(raski_failure *failure_take) {
    if (failure_take == NULL) return;
    raski_free(failure_take->exception);
    raski_free(failure_take->message);
    raski_free(failure_take->task_name);
    raski_free(failure_take->operator_name);
    raski_free(failure_take);
}

void raski_failure_describe(const raski_failure *failure, raski_str *out) {
    if (failure->operator_name != NULL || failure->task_name != NULL) {
        bool is_operator = failure->operator_name != NULL;
        raski_str_appendf(out, "%s '%s' (", is_operator ? "operator" : "task",
                          is_operator ? failure->operator_name : failure->task_name);
        if (failure->subtask == RASKI_NO_SUBTASK)
            raski_str_append(out, "coordinator");
        else
            raski_str_appendf(out, "subtask %d of %d", failure->subtask + 1, failure->parallelism);
        if (failure->attempt > 0) raski_str_appendf(out, ", attempt %d", failure->attempt + 1);
        if (failure->record > 0)
            raski_str_appendf(out, ", record %lld", (long long)failure->record);
        raski_str_append(out, "): ");
    }
    if (failure->exception != NULL) raski_str_appendf(out, "%s: ", failure->exception);
    raski_str_append(out, failure->message);
    if (failure->file != NULL) raski_str_appendf(out, " (%s:%d)", failure->file, failure->line);
}
