import AllocationCounter
import Glibc

/// Tells what a call costs: CPU time of this thread, the best of 400 batches, in nanoseconds, and how many allocations it makes once all
/// memory that is kept is there.
///
/// CPU time and not wall time, and short batches: on a shared machine most long ones are disturbed.
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

/// Keeps the optimizer from leaving work out whose result nobody reads.
@inline(never)
func use<Value>(_ value: Value) {}
