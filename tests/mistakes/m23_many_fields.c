#include <rask/rask.h>
typedef struct {
    int8_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
    int8_t aa, bb, cc, dd, ee, ff, gg;
} wide;
RASK_TYPE(wide, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa,
          bb, cc, dd, ee, ff, gg);
