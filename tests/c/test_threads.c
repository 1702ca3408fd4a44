/* Every kernel from several threads at once, on the same inputs: the bytes that one thread gets. ThreadSanitizer looks for races. */
#define _POSIX_C_SOURCE 200112L /* barriers */
#include <pthread.h>

#include "check.h"
#include "kernels.h"

enum { THREADS = 4, ROUNDS = 2, MOST = 64 };

static shared in;
static uint64_t expected[MOST];
static pthread_barrier_t barrier;

typedef struct {
    int number, n_different, n_failed;
} worker;

/* in every other round each thread starts with another kernel: the same one at once, and different ones at once */
static void *work(void *argument)
{
    worker *self = argument;
    for (int round = 0; round < ROUNDS; round++) {
        for (int j = 0; j < N_KERNELS; j++) {
            const int k = (j + (round % 2) * self->number * 5) % N_KERNELS;
            uint64_t digest = 0;
            pthread_barrier_wait(&barrier);
            self->n_failed += KERNELS[k].run(&in, &digest) != UGT_OK;
            self->n_different += digest != expected[k];
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    worker workers[THREADS];
    CHECK(open_shared(&in) == UGT_OK && N_KERNELS <= MOST);
    for (int k = 0; k < N_KERNELS; k++)
        CHECK(KERNELS[k].run(&in, &expected[k]) == UGT_OK && expected[k] != 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        workers[t] = (worker){t, 0, 0};
        CHECK(pthread_create(&thread[t], NULL, work, &workers[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        CHECK(workers[t].n_different == 0 && workers[t].n_failed == 0);
    }
    pthread_barrier_destroy(&barrier);
    close_shared(&in);
    return RESULT;
}
