/* message.h - what actors say to each other.
 * A message is a typed value on the heap: a type (a static description), where it goes, where an
 * answer would go, the fencing epoch it was written for, and a payload whose layout the type fixes.
 *
 * Life: create -> fill the payload -> post. From then on the executor owns it. It is either run
 * (the receiver's function sees it once) or cancelled (nobody sees it); after either, the type's
 * fini releases what the payload still holds, exactly once. A receiver that wants to keep something
 * moves it out of the payload and leaves NULL behind.
 *
 * Flink: the RPC messages of runtime.rpc (RemoteFencedMessage and its kin).
 * Threads: a message belongs to whoever holds it; types are constants. */
#ifndef RASKI_ACTOR_MESSAGE_H
#define RASKI_ACTOR_MESSAGE_H
#include <stddef.h>
#include <stdint.h>

typedef struct raski_executor raski_executor;

/* What the transport may do to messages of a type. A real executor inside one process delivers all
 * of them at once and in order; the simulated one does whatever is allowed. */
typedef enum raski_delivery {
    RASKI_DELIVERY_ORDERED, /* arrives, in order among those of one sender to one receiver */
    RASKI_DELIVERY_LOSSY,   /* may be late, overtaken or lost: heartbeats */
} raski_delivery;

typedef struct raski_message_type {
    const char *name;
    size_t payload_size;         /* bytes; may be 0 */
    void (*fini)(void *payload); /* releases what the payload owns, on any thread; NULL: nothing */
    raski_delivery delivery;
} raski_message_type;

/* Where an actor is; a value that stays valid after the actor is gone (messages to it are then
 * cancelled). The executor must outlive it. executor NULL: nowhere. */
typedef struct raski_address {
    raski_executor *executor;
    uint64_t actor;
} raski_address;

typedef struct raski_message {
    const raski_message_type *type;
    raski_address to;
    raski_address reply_to; /* the sending actor, or nowhere */
    uint64_t stream;        /* who sent it, for the order of delivery; 0: nobody in particular */
    uint64_t epoch;         /* receiver's epoch this was written for; 0: for any */
    struct raski_message *next; /* the executor's */
    _Alignas(16) unsigned char payload[];
} raski_message;

/* The payload as a T *. */
#define RASKI_PAYLOAD(message, T) ((T *)(void *)(message)->payload)

/* A message with a zeroed payload; the caller's until it is posted. */
raski_message *raski_message_create(const raski_message_type *type);

/* Cancels a message: fini, then free. NULL is fine. */
void raski_message_destroy(raski_message *message_take);
#endif
