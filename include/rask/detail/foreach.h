/* rask/detail/foreach.h - preprocessor loops behind the macros, over 1 to 32 items. Nothing here is
 * for programs. */
#ifndef RASK_DETAIL_FOREACH_H
#define RASK_DETAIL_FOREACH_H
#define RASKI_EACH_1(m, c, a) m(c, a)
#define RASKI_EACH_2(m, c, a, ...) m(c, a) RASKI_EACH_1(m, c, __VA_ARGS__)
#define RASKI_EACH_3(m, c, a, ...) m(c, a) RASKI_EACH_2(m, c, __VA_ARGS__)
#define RASKI_EACH_4(m, c, a, ...) m(c, a) RASKI_EACH_3(m, c, __VA_ARGS__)
#define RASKI_EACH_5(m, c, a, ...) m(c, a) RASKI_EACH_4(m, c, __VA_ARGS__)
#define RASKI_EACH_6(m, c, a, ...) m(c, a) RASKI_EACH_5(m, c, __VA_ARGS__)
#define RASKI_EACH_7(m, c, a, ...) m(c, a) RASKI_EACH_6(m, c, __VA_ARGS__)
#define RASKI_EACH_8(m, c, a, ...) m(c, a) RASKI_EACH_7(m, c, __VA_ARGS__)
#define RASKI_EACH_9(m, c, a, ...) m(c, a) RASKI_EACH_8(m, c, __VA_ARGS__)
#define RASKI_EACH_10(m, c, a, ...) m(c, a) RASKI_EACH_9(m, c, __VA_ARGS__)
#define RASKI_EACH_11(m, c, a, ...) m(c, a) RASKI_EACH_10(m, c, __VA_ARGS__)
#define RASKI_EACH_12(m, c, a, ...) m(c, a) RASKI_EACH_11(m, c, __VA_ARGS__)
#define RASKI_EACH_13(m, c, a, ...) m(c, a) RASKI_EACH_12(m, c, __VA_ARGS__)
#define RASKI_EACH_14(m, c, a, ...) m(c, a) RASKI_EACH_13(m, c, __VA_ARGS__)
#define RASKI_EACH_15(m, c, a, ...) m(c, a) RASKI_EACH_14(m, c, __VA_ARGS__)
#define RASKI_EACH_16(m, c, a, ...) m(c, a) RASKI_EACH_15(m, c, __VA_ARGS__)
#define RASKI_EACH_17(m, c, a, ...) m(c, a) RASKI_EACH_16(m, c, __VA_ARGS__)
#define RASKI_EACH_18(m, c, a, ...) m(c, a) RASKI_EACH_17(m, c, __VA_ARGS__)
#define RASKI_EACH_19(m, c, a, ...) m(c, a) RASKI_EACH_18(m, c, __VA_ARGS__)
#define RASKI_EACH_20(m, c, a, ...) m(c, a) RASKI_EACH_19(m, c, __VA_ARGS__)
#define RASKI_EACH_21(m, c, a, ...) m(c, a) RASKI_EACH_20(m, c, __VA_ARGS__)
#define RASKI_EACH_22(m, c, a, ...) m(c, a) RASKI_EACH_21(m, c, __VA_ARGS__)
#define RASKI_EACH_23(m, c, a, ...) m(c, a) RASKI_EACH_22(m, c, __VA_ARGS__)
#define RASKI_EACH_24(m, c, a, ...) m(c, a) RASKI_EACH_23(m, c, __VA_ARGS__)
#define RASKI_EACH_25(m, c, a, ...) m(c, a) RASKI_EACH_24(m, c, __VA_ARGS__)
#define RASKI_EACH_26(m, c, a, ...) m(c, a) RASKI_EACH_25(m, c, __VA_ARGS__)
#define RASKI_EACH_27(m, c, a, ...) m(c, a) RASKI_EACH_26(m, c, __VA_ARGS__)
#define RASKI_EACH_28(m, c, a, ...) m(c, a) RASKI_EACH_27(m, c, __VA_ARGS__)
#define RASKI_EACH_29(m, c, a, ...) m(c, a) RASKI_EACH_28(m, c, __VA_ARGS__)
#define RASKI_EACH_30(m, c, a, ...) m(c, a) RASKI_EACH_29(m, c, __VA_ARGS__)
#define RASKI_EACH_31(m, c, a, ...) m(c, a) RASKI_EACH_30(m, c, __VA_ARGS__)
#define RASKI_EACH_32(m, c, a, ...) m(c, a) RASKI_EACH_31(m, c, __VA_ARGS__)
#define RASKI_NTH(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
    a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) n
#define RASKI_COUNT(...) \
    RASKI_NTH(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, \
         15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
/* 0 for up to 32 items, 1 for 33 to 64 */
#define RASKI_TOO_MANY(...) \
    RASKI_NTH_64(__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, \
         1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
         0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define RASKI_NTH_64(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, \
    a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, ...) \
    RASKI_NTH(__VA_ARGS__)
#define RASKI_CAT_(a, b) a##b
#define RASKI_CAT(a, b) RASKI_CAT_(a, b)
/* RASKI_EACH(m, c, a, b, ...) -> m(c, a) m(c, b) ... */
#define RASKI_EACH(m, c, ...) RASKI_CAT(RASKI_EACH_, RASKI_COUNT(__VA_ARGS__))(m, c, __VA_ARGS__)
#define RASKI_FIRST_(a, ...) a
#define RASKI_FIRST(...) RASKI_FIRST_(__VA_ARGS__, ~)
/* all but the first, with a comma behind it (for initialisers) */
#define RASKI_REST_(a, ...) __VA_ARGS__
#define RASKI_REST(...) RASKI_REST_(__VA_ARGS__, )
#define RASKI_PROBE(...) ~, 1,
#define RASKI_SECOND_(a, b, ...) b
#define RASKI_SECOND(...) RASKI_SECOND_(__VA_ARGS__, 0, ~)
/* 1 for (a, b), else 0 */
#define RASKI_IS_PAREN(x) RASKI_SECOND(RASKI_PROBE x)
#define RASKI_UNPAREN(...) __VA_ARGS__
#endif
