/* payments.c - two inputs and keyed state: payments are checked against limits that change while the
 * job runs, and totals are kept per account. Suspicious payments go to a side output.
 *
 *   payments [-p N] [COUNT] */
#include <rask/rask.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int64_t account; double amount; } payment;
RASK_TYPE(payment, account, amount);
typedef struct { int64_t account; double most; } limit; /* the most that one payment may be */
RASK_TYPE(limit, account, most);
typedef struct { int64_t account, payments; double total; } balance;
RASK_TYPE(balance, account, payments, total);
typedef struct { rask_string why; payment what; } alert;
RASK_TYPE(alert, why, (what, payment));

typedef struct { int64_t next, count; } generator;
RASK_INSTANCE(generator);
RASK_SOURCE(payments, generator, self, payment, out) {
    int64_t i = self->next++;
    if (i >= self->count) return RASK_END;
    rask_emit(out, (payment){i % 7, (double)(i * 37 % 1000)});
    return RASK_MORE;
}

RASK_SIDE_OUTPUT(suspicious, alert);

typedef struct {
    rask_value(double) most;
    rask_value(balance) sum;
    rask_counter *refused;
} checker;
RASK_STATE(checker, most, (sum, balance));

RASK_KEYED_CO_PROCESS(check, checker, self, payment, p, limit, balance, out) {
    const double *most = rask_get(self->most);
    if (most && p.amount > *most) {
        rask_count(self->refused, 1);
        rask_emit_side(out, suspicious,
                       (alert){rask_string_format("%.0f is more than %.0f", p.amount, *most), p});
        return;
    }
    balance *sum = rask_ref(self->sum);
    sum->account = p.account;
    sum->payments++;
    sum->total += p.amount;
    rask_emit(out, *sum);
}
RASK_ON_SECOND(check, self, l, out) { rask_set(self->most, l.most); }
RASK_OPEN(check, self) {
    self->refused = rask_counter_of("refused");
    return RASK_OK;
}

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    rask_stream(payment) in =
        rask_source(env, payments, .parallelism = 1, .bounded = true,
                    .self = RASK_SELF(generator, .count = argc > 1 ? atoll(argv[1]) : 100));
    rask_stream(limit) limits = rask_values(env, limit, {1, 500}, {2, 900}, {3, 10});
    rask_stream(balance) balances =
        rask_connect(rask_key_by(in, account), rask_key_by(limits, account), check, .uid = "check");
    rask_print(balances);
    rask_print_err(rask_side_output(balances, suspicious), .name = "alerts");
    return rask_execute(env, "Payments");
}
