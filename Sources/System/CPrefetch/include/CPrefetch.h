#ifndef GATEHOUSE_CPREFETCH_H
#define GATEHOUSE_CPREFETCH_H

#include <stdint.h>

// Asks the processor to have the memory at an address near, without waiting for it. The address need not be valid: nothing is read from it
// that the program sees. Swift has no word for that.
static inline void cprefetch(uintptr_t address) { __builtin_prefetch((const void *)address, 0, 3); }

#endif
