#include "common.h"
typedef struct {
    rask_string name;
    pay last;
} acct;
RASK_TYPE(acct, name, (last, pay));
void f(rask_stream(acct) a);
void f(rask_stream(acct) a) {
    rask_print(rask_as_stream(rask_key_by(a, last)));
}
