@preconcurrency import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The signal handling of `serve`, as documented in docs/reference/cli.md.
///
/// All other signals are ignored, so that no signal ends the process without draining.
struct ServeSignals {
    /// The additional time for a stop after the drain, in which store and logs are closed.
    static let margin = Duration.seconds(15)

    /// Faults of the program, job control, and signals that the system ignores anyway.
    private static let untouched: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
        SIGCHLD, SIGURG, SIGWINCH,
    ]

    private let sources: [any DispatchSourceSignal]

    /// Handles all signals except SIGHUP of a process that can reload.
    ///
    /// If a graceful stop exceeds `drain` and `margin`, the process exits with code 1. This timeout has its own queue,
    /// independent of event loops and the concurrency pool. Acknowledged writes of the store are on disk by then.
    ///
    /// - Parameters:
    ///   - drain: The maximum duration of draining, read when a signal arrives.
    ///   - stop: Starts a graceful stop.
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

    /// Linux has real-time signals from 32 on. The C library reserves the first ones.
    private static var all: Set<Int32> {
        #if os(Linux)
            Set<Int32>(1...31).union(__libc_current_sigrtmin()...__libc_current_sigrtmax())
        #else
            Set(1...31)
        #endif
    }
}
