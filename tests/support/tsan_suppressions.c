/* Linked into every program of the tsan preset.
 * libuv closes descriptors with a system call of its own, which the thread sanitizer does not see.
 * When another thread is then given the same number, its creation looks like a race with the old
 * one. librocksdb is not built with the sanitizer, which so does not see its locks. */
const char *__tsan_default_suppressions(void);

__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void) {
    return "race:epoll_create1\n"
           "race:eventfd\n"
           "race:pipe2\n"
           "race:socketpair\n"
           "race:timerfd_create\n"
           "race:raski_file_open\n"
           "race:librocksdb.so\n";
}
