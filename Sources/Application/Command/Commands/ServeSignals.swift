@preconcurrency import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What signals do to `serve`; docs/operations.md has the table.
///
/// A signal that is not named here is ignored, so none ends the process without draining.
struct ServeSignals {
    /// How much longer than the drain a stop may take: the store and the logs are closed.
    static let margin = Duration.seconds(15)

    /// Faults of the program, which must end it, job control, and signals that the system ignores anyway.
    private static let untouched: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
        SIGCHLD, SIGURG, SIGWINCH,
    ]

    private let sources: [any DispatchSourceSignal]

    /// Begins to handle all signals but SIGHUP of a process that can reload.
    ///
    /// An orderly stop that takes longer than `drain` and `margin` is cut off with exit code 1. That clock has a queue of its own: it
    /// depends neither on an event loop nor on the concurrency pool. Acknowledged writes of the store are on disk by then.
    ///
    /// - Parameters:
    ///   - drain: How long draining may take, asked when a signal comes.
    ///   - stop: Begins an orderly stop.
    init(
        canReload: Bool, drain: @escaping @Sendable () -> Duration, stop: @escaping @Sendable () async -> Void
    ) {
        let draining = [SIGTERM, SIGINT, SIGQUIT] + (canReload ? [] : [SIGHUP])
        for number in Self.all.subtracting(Self.untouched).subtracting(draining + [SIGHUP]) { signal(number, SIG_IGN) }
        let queue = DispatchQueue(label: "gatehouse.stop")
        sources = draining.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let seconds = (drain() + Self.margin).components.seconds
                queue.asyncAfter(deadline: .now() + .seconds(Int(clamping: seconds))) { _exit(1) }
                Task { await stop() }
            }
            #if canImport(Darwin)
                signal(number, SIG_IGN)
            #endif
            source.resume()
            return source
        }
    }

    /// From 32 on, Linux has real-time signals; the first ones belong to the C library.
    private static var all: Set<Int32> {
        #if os(Linux)
            Set<Int32>(1...31).union(__libc_current_sigrtmin()...__libc_current_sigrtmax())
        #else
            Set(1...31)
        #endif
    }
}
