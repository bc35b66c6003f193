import GatewayCore
import HTTPWire

/// What comes before the first request of a connection: a PROXY header, TLS, or both.
///
/// One for each listener and loop: it holds nothing of one connection.
final class ConnectionOpening {
    let isSecure: Bool
    private let counters: WorkerCounters

    init(isSecure: Bool, counters: WorkerCounters) {
        self.isSecure = isSecure
        self.counters = counters
    }

    /// The handshake came to its end, so many nanoseconds after the connection was accepted.
    func handshakeTook(_ nanoseconds: UInt64) {
        counters.record(.handshake, nanoseconds: nanoseconds)
    }

    /// The handshake did not come to its end, or nothing came in time.
    func failed(_ error: any Error) {
        counters.add(to: isSecure ? .handshakeFailures : .proxyHeaderFailures)
    }

    /// There was no PROXY header, or none that may be believed.
    func headerFailed() {
        counters.add(to: .proxyHeaderFailures)
    }
}

/// The handshake or the PROXY header took longer than `limits.handshake_timeout`.
struct OpeningTimeout: Error {}

/// A PROXY header was read, and taken out of what arrived.
struct ProxyHeaderRead {
    /// The connection's true source; nil: the socket's peer, as it says itself.
    let source: IPAddress?
}
