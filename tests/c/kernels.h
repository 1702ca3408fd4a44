/* Every kernel of the core, called on the same small inputs: for tests of what must hold whatever is computed. */
#ifndef KERNELS_H
#define KERNELS_H

#include "distances.h"
#include "em.h"
#include "rows.h"
#include "ugt.h"

/* What kernels read: made once, then shared by all calls. */
typedef struct {
    ugt_profiles *profiles;
    ugt_posterior posterior;
    ugt_stages *stages, *ignoring; /* with and without a rest */
    ugt_confusions *confusions;
} shared;

int open_shared(shared *in); /* UGT_OK or what went wrong */
void close_shared(shared *in);

typedef struct {
    const char *name;
    int (*run)(const shared *in, uint64_t *digest); /* the status; digest: of all outputs, if that is UGT_OK */
} kernel;

extern const kernel KERNELS[];
extern const int N_KERNELS;

#endif
