import NIOPosix
import Synchronization

/// Lets one asynchronous operation run after the other.
actor SerialGate {
    private var last: Task<Void, Never>?

    /// The result of `body`, which runs when the operations before it have ended. It is not cancelled with its caller.
    func enter<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { [last] in
            await last?.value
            return try await body()
        }
        last = Task { _ = await task.result }
        return try await task.value
    }
}

/// The reason why a configuration was not put in place; the one before is served on.
struct ReloadRefusal: Error, CustomStringConvertible, Sendable {
    /// What is wrong; what to do.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Runs calls that may block for any time, or never return, each on a thread of its own and one at a time.
///
/// Reading a configuration waits for file systems and parsers. On the threads that all tasks share, two calls that hang
/// would hold up health checks, the admin API and stopping.
final class BlockingCalls: Sendable {
    /// Waits for the time after which a call is given up.
    typealias Wait = @Sendable (Duration) async throws -> Void

    /// How long one call may take.
    static let timeLimit = Duration.seconds(30)

    private let gate = SerialGate()
    /// Whether a call that was given up has not returned yet.
    private let isStuck = Mutex(false)
    private let wait: Wait

    init(wait: @escaping Wait = { try await Task.sleep(for: $0) }) {
        self.wait = wait
    }

    /// The result of `body`, which runs when the calls before it have ended.
    ///
    /// - Throws: what `body` throws, or `ReloadRefusal` after the time limit, and while a call that was given up still
    ///   holds its thread: no more than one thread is ever lost.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await gate.enter { [self] in try await bounded(body).get() }
    }

    private func bounded<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async -> Result<
        Value, any Error
    > {
        guard !isStuck.withLock({ $0 }) else {
            return .failure(
                ReloadRefusal("an earlier reload still reads its files; see what it waits for, or restart the gateway"))
        }
        let pending = PendingCall<Value>()
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        thread.submit { [self] _ in
            if !pending.end(with: Result { try body() }) { isStuck.withLock { $0 = false } }
            thread.shutdownGracefully { _ in }
        }
        let timer = Task { [self] in
            try await wait(Self.timeLimit)
            pending.giveUp { isStuck.withLock { $0 = true } }
        }
        defer { timer.cancel() }
        return await pending.result()
    }
}

/// One call whose result, or the lack of it, is waited for once.
private final class PendingCall<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Result<Value, any Error>, Never>?
    }

    private let state = Mutex(State())

    /// Returns false where the call had been given up.
    func end(with result: Result<Value, any Error>) -> Bool {
        settle(result) {}
    }

    /// - Parameter note: runs before the call can end, unless it has.
    func giveUp(_ note: () -> Void) {
        _ = settle(
            .failure(
                ReloadRefusal(
                    "reading the configuration took longer than \(BlockingCalls.timeLimit.components.seconds) s; see what its files wait for"
                )),
            note)
    }

    func result() async -> Result<Value, any Error> {
        await withCheckedContinuation { waiter in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = waiter }
                return state.result
            }
            if let result { waiter.resume(returning: result) }
        }
    }

    private func settle(_ result: Result<Value, any Error>, _ note: () -> Void) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.result == nil else { return (false, state.waiter.take()) }
            note()
            state.result = result
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: result)
        return isFirst
    }
}
