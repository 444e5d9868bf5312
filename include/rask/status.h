/* rask/status.h - status codes of the public API. */
#ifndef RASK_STATUS_H
#define RASK_STATUS_H

/* 0 is success; negative values are errors; positive ones answer a question (see each function). */
typedef int rask_status;

enum {
    RASK_OK = 0,
    RASK_MORE = 1, /* a source: call me again */
    RASK_END = 2,  /* a source: there is nothing more, ever; an iterator: at the end */
    RASK_IDLE = 3, /* a source: nothing right now, call me again later */

    RASK_FAILED = -1,        /* a user function failed (rask_fail) */
    RASK_E_ARGUMENT = -2,    /* an argument, option or program is wrong */
    RASK_E_NOMEM = -3,       /* not enough memory or buffers */
    RASK_E_IO = -4,          /* a file or socket failed */
    RASK_E_NOT_FOUND = -5,   /* no such file, key, operator, ... */
    RASK_E_CANCELLED = -6,   /* cancelled by the user */
    RASK_E_CLOSED = -7,      /* the receiver is closed */
    RASK_E_TIMEOUT = -8,     /* it took too long */
    RASK_E_UNSUPPORTED = -9, /* valid, but Rask cannot do it */
    RASK_E_INTERNAL = -10,   /* a bug in Rask */
    RASK_E_CORRUPT = -11,    /* bytes that are not what they should be */
};
#endif
