/* topology_hint.c - what was expected where a topology file is wrong, for people. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "graph/topology_private.h"

char *raski_topology_expectation(const raski_topology *topology, const raski_error *err) {
    (void)topology;
    (void)err;
    return NULL;
}
