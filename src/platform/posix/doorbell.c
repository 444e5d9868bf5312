/* doorbell.c - one 32-bit word: a count of rings, and in its lowest bits how the owner sleeps.
 *
 *     bit 0  FUTEX   the owner sleeps on this word, or is about to
 *     bit 1  POLL    the owner sleeps in poll, the eventfd wakes it
 *     2..31  rings, wrapping
 * A ring adds one and takes the sleep bits away in the same atomic step, so that of many rings only
 * the first pays for the system call. The owner sets a bit only while the count is still the one
 * it has seen: a ring in between makes that fail, and it does not sleep. */
#include "platform/doorbell.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "platform/clock.h"

enum { SLEEP_FUTEX = 1, SLEEP_POLL = 2, SLEEP_MASK = 3, RING_ONE = 4 };

struct raski_doorbell {
    _Alignas(64) _Atomic uint32_t word;
    _Alignas(64) _Atomic uint32_t references;
    _Atomic int event_fd; /* -1 until the owner first waits for a descriptor */
};

rask_status raski_doorbell_create(raski_doorbell **ret_bell, raski_error *err) {
    raski_doorbell *bell = raski_try_alloc(sizeof *bell, 64);
    if (bell == NULL) return RASKI_FAIL(err, RASK_E_NOMEM, EXTERNAL, "no memory for a doorbell");
    atomic_init(&bell->word, 0);
    atomic_init(&bell->references, 1);
    atomic_init(&bell->event_fd, -1);
    *ret_bell = bell;
    return RASK_OK;
}

raski_doorbell *raski_doorbell_ref(raski_doorbell *bell) {
    (void)atomic_fetch_add_explicit(&bell->references, 1, memory_order_relaxed);
    return bell;
}

void raski_doorbell_unref(raski_doorbell *bell) {
    if (bell == NULL) return;
    if (atomic_fetch_sub_explicit(&bell->references, 1, memory_order_acq_rel) != 1) return;
    int fd = atomic_load_explicit(&bell->event_fd, memory_order_relaxed);
    if (fd >= 0) (void)close(fd);
    raski_free(bell);
}

static void futex_wake(_Atomic uint32_t *word) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void raski_doorbell_ring(raski_doorbell *bell) {
    uint32_t old = atomic_load_explicit(&bell->word, memory_order_relaxed);
    uint32_t rung;
    do {
        rung = (old + RING_ONE) & ~(uint32_t)SLEEP_MASK;
    } while (!atomic_compare_exchange_weak_explicit(&bell->word, &old, rung, memory_order_seq_cst,
                                                    memory_order_relaxed));
    if (old & SLEEP_FUTEX) futex_wake(&bell->word);
    if (old & SLEEP_POLL) {
        uint64_t one = 1;
        int fd = atomic_load_explicit(&bell->event_fd, memory_order_acquire);
        /* cannot block: the owner empties it, and one less than 2^64 rings fit */
        while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
        }
    }
}

bool raski_doorbell_is_waited_on(raski_doorbell *bell) {
    return (atomic_load_explicit(&bell->word, memory_order_relaxed) & SLEEP_MASK) != 0;
}

uint32_t raski_doorbell_sequence(raski_doorbell *bell) {
    return atomic_load_explicit(&bell->word, memory_order_seq_cst) & ~(uint32_t)SLEEP_MASK;
}

/* False when rung since seen. */
static bool announce_sleep(raski_doorbell *bell, uint32_t seen, uint32_t how) {
    uint32_t expected = seen;
    return atomic_compare_exchange_strong_explicit(&bell->word, &expected, seen | how,
                                                   memory_order_seq_cst, memory_order_acquire);
}

/* Awake again; true when rung since seen. */
static bool withdraw_sleep(raski_doorbell *bell, uint32_t seen) {
    uint32_t word =
        atomic_fetch_and_explicit(&bell->word, ~(uint32_t)SLEEP_MASK, memory_order_seq_cst);
    return (word & ~(uint32_t)SLEEP_MASK) != seen;
}

/* false: the deadline is past. A deadline of RASKI_FOREVER gives *ret_forever. */
static bool time_left(int64_t deadline_ns, struct timespec *ret_left) {
    int64_t left = deadline_ns - raski_now_ns();
    if (left <= 0) return false;
    *ret_left = (struct timespec){left / 1000000000, left % 1000000000};
    return true;
}

/* The thread sanitizer keeps a signal back until its thread enters a call that the sanitizer knows,
 * and a bare futex call is none: a thread that sleeps in one would never run the handler. So there,
 * sleeps are short. */
#if defined(__SANITIZE_THREAD__)
static const struct timespec *one_nap(const struct timespec *left) {
    static const struct timespec nap = {0, 20000000};
    (void)nanosleep(&(struct timespec){0, 0}, NULL); /* a call that it knows */
    const bool is_less = left != NULL && left->tv_sec == 0 && left->tv_nsec < nap.tv_nsec;
    return is_less ? left : &nap;
}
static bool is_over(int64_t deadline_ns) {
    return deadline_ns != RASKI_FOREVER && raski_now_ns() >= deadline_ns;
}
#else
static inline const struct timespec *one_nap(const struct timespec *left) {
    return left;
}
static inline bool is_over(int64_t deadline_ns) {
    (void)deadline_ns;
    return true;
}
#endif

bool raski_doorbell_wait(raski_doorbell *bell, uint32_t seen, int64_t deadline_ns) {
    if (raski_doorbell_sequence(bell) != seen) return true;
    struct timespec left, *left_or_null = NULL;
    if (deadline_ns != RASKI_FOREVER) {
        if (!time_left(deadline_ns, &left)) return false;
        left_or_null = &left;
    }
    if (!announce_sleep(bell, seen, SLEEP_FUTEX)) return true;
    for (;;) {
        long result = syscall(SYS_futex, &bell->word, FUTEX_WAIT_PRIVATE, seen | SLEEP_FUTEX,
                              one_nap(left_or_null), NULL, 0);
        int reason = result == 0 ? 0 : errno;
        if (raski_doorbell_sequence(bell) != seen) return true; /* the ringer took the bit away */
        if (reason == ETIMEDOUT && is_over(deadline_ns)) return withdraw_sleep(bell, seen);
        if (left_or_null != NULL && !time_left(deadline_ns, &left)) {
            return withdraw_sleep(bell, seen);
        }
    }
}

static int event_fd_of(raski_doorbell *bell) {
    int fd = atomic_load_explicit(&bell->event_fd, memory_order_relaxed);
    if (fd < 0) {
        fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (fd >= 0) atomic_store_explicit(&bell->event_fd, fd, memory_order_release);
    }
    return fd;
}

/* Without a descriptor left for the eventfd, rings are looked for this often. */
enum { POLL_WITHOUT_EVENTFD_MS = 10 };

raski_doorbell_reason raski_doorbell_wait_fd(raski_doorbell *bell, uint32_t seen, int fd,
                                             bool for_write, int64_t deadline_ns) {
    int event_fd = event_fd_of(bell);
    uint32_t how = event_fd >= 0 ? SLEEP_POLL : 0;
    struct pollfd polled[2] = {
        {.fd = fd, .events = for_write ? POLLOUT : POLLIN},
        {.fd = event_fd, .events = POLLIN}, /* a negative one is left out by poll */
    };
    for (;;) {
        if (!announce_sleep(bell, seen, how)) return RASKI_DOORBELL_RUNG;
        struct timespec left = {0, 0}, *left_or_null = &left;
        if (deadline_ns == RASKI_FOREVER) {
            left_or_null = NULL;
        } else {
            (void)time_left(deadline_ns, &left);
        }
        if (event_fd < 0 && (left_or_null == NULL || left.tv_sec > 0 ||
                             left.tv_nsec > POLL_WITHOUT_EVENTFD_MS * RASKI_NS_PER_MS)) {
            left = (struct timespec){0, POLL_WITHOUT_EVENTFD_MS * RASKI_NS_PER_MS};
            left_or_null = &left;
        }
        int ready = ppoll(polled, 2, left_or_null, NULL);
        bool rung = withdraw_sleep(bell, seen);
        if (ready > 0 && polled[1].revents != 0) {
            uint64_t count;
            while (read(event_fd, &count, sizeof count) < 0 && errno == EINTR) {
            }
        }
        if (rung) return RASKI_DOORBELL_RUNG;
        if (ready > 0 && polled[0].revents != 0) return RASKI_DOORBELL_FD;
        if (deadline_ns != RASKI_FOREVER && raski_now_ns() >= deadline_ns) {
            return RASKI_DOORBELL_TIMEOUT;
        }
    }
}
