#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations: only with glibc, and without a sanitizer, which has an allocator of its own.
bool allocations_are_counted(void);

/// The number of allocations that the calling thread has made. 0 if this build counts none.
uint64_t allocation_count(void);

#endif
