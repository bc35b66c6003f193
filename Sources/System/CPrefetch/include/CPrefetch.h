#ifndef GATEHOUSE_CPREFETCH_H
#define GATEHOUSE_CPREFETCH_H

#include <stdint.h>

/// Prefetches the cache line of an address without waiting for it. The address can be invalid, since the prefetch
/// has no visible effect. Swift has no equivalent.
static inline void cprefetch(uintptr_t address) { __builtin_prefetch((const void *)address, 0, 3); }

#endif
