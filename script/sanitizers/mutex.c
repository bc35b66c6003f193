// Reports the slow paths of Swift's Mutex (Linux) to ThreadSanitizer. It must be loaded first, with LD_PRELOAD.
//
// The caller's own code locks a free Mutex with an atomic, which the sanitizer sees. libswiftSynchronization, which is
// not instrumented, waits for a locked one: without this file, all memory that contended mutexes guard is reported as a
// race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

SWIFT void lockSlow(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
SWIFT bool tryLockSlow(SELF) __asm__("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");

static void *original(const char *name) { return dlsym(RTLD_NEXT, name); }

SWIFT void lockSlow(uint32_t thread, SELF) {
    static SWIFT void (*next)(uint32_t, SELF);
    if (!next) next = original("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    next(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlockSlow(SELF) {
    static SWIFT void (*next)(SELF);
    if (!next) next = original("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(self);
    next(self);
}

SWIFT bool tryLockSlow(SELF) {
    static SWIFT bool (*next)(SELF);
    if (!next) next = original("$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF");
    bool locked = next(self);
    if (locked && __tsan_acquire) __tsan_acquire(self);
    return locked;
}
