import Dispatch
import Foundation

/// The stack that threads get on systems where nobody asks for more; eight times as much where nothing is optimized.
private let smallStack = {
    #if DEBUG
        8 * 512 * 1024
    #else
        512 * 1024
    #endif
}()

/// Runs something on a thread with a small stack.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    let outcome = Outlet<Result>()
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
        outcome.value = body()
        isDone.signal()
    }
    thread.stackSize = smallStack
    thread.start()
    isDone.wait()
    return outcome.value
}

/// Written before the semaphore is signalled, and read after it was waited for.
private final class Outlet<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
