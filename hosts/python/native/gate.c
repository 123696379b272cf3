/* SPDX-License-Identifier: MIT */
#include "gate.h"

void gate_init(struct gate *gate)
{
    gate->readers = 0;
    gate->waiting = 0;
    gate->writing = 0;
    gate->turns = 0;
    (void)pthread_mutex_init(&gate->mutex, NULL);
    (void)pthread_cond_init(&gate->left, NULL);
}

void gate_destroy(struct gate *gate)
{
    (void)pthread_cond_destroy(&gate->left);
    (void)pthread_mutex_destroy(&gate->mutex);
}

/* Until someone has left since the caller, who has the interpreter lock, saw the gate closed. */
static void wait_a_turn(struct gate *gate)
{
    (void)pthread_mutex_lock(&gate->mutex);
    uint64_t seen = gate->turns;
    (void)pthread_mutex_unlock(&gate->mutex);
    Py_BEGIN_ALLOW_THREADS(void) pthread_mutex_lock(&gate->mutex);
    while (gate->turns == seen)
        (void)pthread_cond_wait(&gate->left, &gate->mutex);
    (void)pthread_mutex_unlock(&gate->mutex);
    Py_END_ALLOW_THREADS
}

static void leave(struct gate *gate)
{
    (void)pthread_mutex_lock(&gate->mutex);
    gate->turns++;
    (void)pthread_cond_broadcast(&gate->left);
    (void)pthread_mutex_unlock(&gate->mutex);
}

void gate_look(struct gate *gate)
{
    while (gate->writing)
        wait_a_turn(gate);
}

void gate_read(struct gate *gate)
{
    while (gate->writing || gate->waiting)
        wait_a_turn(gate);
    gate->readers++;
}

void gate_read_done(struct gate *gate)
{
    if (!--gate->readers)
        leave(gate);
}

void gate_write(struct gate *gate)
{
    gate->waiting++;
    while (gate->writing || gate->readers)
        wait_a_turn(gate);
    gate->waiting--;
    gate->writing = 1;
}

void gate_write_done(struct gate *gate)
{
    gate->writing = 0;
    leave(gate);
}
