@preconcurrency import Dispatch
import Gatehouse
import Synchronization

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
    /// How the process stops.
    enum Stop {
        /// Drains first.
        case drained
        /// Ends a drain, or stops without one.
        case immediate
    }

    /// Faults of the program, job control, and signals that the system ignores anyway.
    private static let untouched: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
        SIGCHLD, SIGURG, SIGWINCH,
    ]

    private let sources: [any DispatchSourceSignal]

    /// Whether a signal requested a stop. Shared by the handlers of all signals.
    private final class Flag: Sendable {
        private let value = Atomic(false)

        /// Sets the flag and returns its previous value.
        func set() -> Bool { value.exchange(true, ordering: .relaxed) }
    }

    /// Handles all signals except SIGHUP of a process that can reload.
    ///
    /// The first signal drains; SIGINT in a terminal stops without a drain. Each later signal ends the drain.
    ///
    /// If a stop exceeds `drain` and ``GatewayService/stopMargin``, the process exits with code 1. This timeout has its
    /// own queue, independent of event loops and the concurrency pool. Acknowledged writes of the store are on disk by
    /// then.
    ///
    /// - Parameters:
    ///   - drain: The maximum duration of draining, read when a signal arrives.
    ///   - stop: Starts a stop, or ends a drain.
    init(
        canReload: Bool, drain: @escaping @Sendable () -> Duration, stop: @escaping @Sendable (Stop) async -> Void
    ) {
        let draining = [SIGTERM, SIGINT, SIGQUIT] + (canReload ? [] : [SIGHUP])
        for number in Self.all.subtracting(Self.untouched).subtracting(draining + [SIGHUP]) { signal(number, SIG_IGN) }
        let queue = DispatchQueue(label: "gatehouse.stop")
        let (wasSignalled, isInTerminal) = (Flag(), Self.isInTerminal)
        sources = draining.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let drains = !wasSignalled.set() && !(isInTerminal && number == SIGINT)
                let seconds = ((drains ? drain() : .zero) + GatewayService.stopMargin).components.seconds
                queue.asyncAfter(deadline: .now() + .seconds(Int(clamping: seconds))) { _exit(1) }
                Task { await stop(drains ? .drained : .immediate) }
            }
            #if canImport(Darwin)
                signal(number, SIG_IGN)
            #endif
            source.resume()
            return source
        }
    }

    /// Whether standard input or standard output is a terminal. A supervisor connects neither.
    private static var isInTerminal: Bool { isatty(STDIN_FILENO) == 1 || isatty(STDOUT_FILENO) == 1 }

    /// Linux has real-time signals from 32 on. The C library reserves the first ones.
    private static var all: Set<Int32> {
        #if os(Linux)
            Set<Int32>(1...31).union(__libc_current_sigrtmin()...__libc_current_sigrtmax())
        #else
            Set(1...31)
        #endif
    }
}
