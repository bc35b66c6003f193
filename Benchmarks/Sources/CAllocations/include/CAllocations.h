#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

#include <stdint.h>

/// How often this process has asked for memory. For one thread: nothing guards the count.
uint64_t allocation_count(void);

#endif
