import NIOPosix
import Synchronization

/// A serial executor of asynchronous operations.
actor SerialGate {
    private var last: Task<Void, Never>?

    /// Runs `body` after all earlier operations have ended and returns its result. It is not cancelled with its caller.
    func enter<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { [last] in
            await last?.value
            return try await body()
        }
        last = Task { _ = await task.result }
        return try await task.value
    }
}

/// The reason why a configuration was not installed. The previous one stays active.
struct ReloadRefusal: Error, CustomStringConvertible, Sendable {
    /// The error and its remedy.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A runner of calls that may block indefinitely, each on its own thread and one at a time.
///
/// Reading a configuration depends on file systems and parsers. On the shared threads, two blocked calls would delay
/// health checks, the admin API and the stop.
final class BlockingCalls: Sendable {
    /// A function that waits for the timeout of a call.
    typealias Wait = @Sendable (Duration) async throws -> Void

    /// The timeout of one call.
    static let timeLimit = Duration.seconds(30)

    private let gate = SerialGate()
    /// Whether an abandoned call has not returned yet.
    private let isStuck = Mutex(false)
    private let wait: Wait

    init(wait: @escaping Wait = { try await Task.sleep(for: $0) }) {
        self.wait = wait
    }

    /// Runs `body` after all earlier calls have ended and returns its result.
    ///
    /// - Throws: Any error of `body`. `ReloadRefusal` after the timeout, and while an abandoned call still occupies its
    ///   thread. At most one thread is ever lost.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await gate.enter { [self] in try await bounded(body).get() }
    }

    private func bounded<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async -> Result<
        Value, any Error
    > {
        guard !isStuck.withLock({ $0 }) else {
            return .failure(
                ReloadRefusal(
                    "an earlier reload is still reading its files; check the file system, or restart the gateway"))
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
            pending.abandon { isStuck.withLock { $0 = true } }
        }
        defer { timer.cancel() }
        return await pending.result()
    }
}

/// A call whose result or timeout is awaited once.
private final class PendingCall<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Result<Value, any Error>, Never>?
    }

    private let state = Mutex(State())

    /// Sets the result. Returns `false` if the call was abandoned.
    func end(with result: Result<Value, any Error>) -> Bool {
        resolve(result) {}
    }

    /// Abandons the call. `record` runs before the call can end, unless it has ended.
    func abandon(_ record: () -> Void) {
        _ = resolve(
            .failure(
                ReloadRefusal(
                    "reading the configuration took longer than \(BlockingCalls.timeLimit.components.seconds) s; check the file system"
                )),
            record)
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

    private func resolve(_ result: Result<Value, any Error>, _ record: () -> Void) -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            guard state.result == nil else { return (false, state.waiter.take()) }
            record()
            state.result = result
            return (true, state.waiter.take())
        }
        waiter?.resume(returning: result)
        return isFirst
    }
}
