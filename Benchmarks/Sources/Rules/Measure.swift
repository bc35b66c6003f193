import AllocationCounter
import Glibc

/// Prints the cost of a call: the thread's CPU time in nanoseconds, as the best of 400 batches, and the number of
/// allocations after the caches are filled.
///
/// CPU time and short batches reduce the influence of other load on the machine.
func measureCall(_ name: String, calls: Int = 200_000, _ body: () -> Void) {
    for _ in 0..<max(calls / 100, 2) { body() }
    let before = allocation_count()
    body()
    let allocations = allocation_count() - before
    let batch = max(calls / 400, 1)
    let best = (0..<400).map { _ in
        let start = nanoseconds()
        for _ in 0..<batch { body() }
        return Double(nanoseconds() - start) / Double(batch)
    }.min()
    let time = "\(((best ?? 0) * 10).rounded() / 10)"
    print("\(pad(time, 12)) ns \(pad("\(allocations)", 8)) allocations  \(name)")
}

private func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

private func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
}

/// Prevents the optimizer from removing work with an unused result.
@inline(never)
func use<Value>(_ value: Value) {}
