import GatewayCore
import HTTPWire

/// The opening of connections before the first request: a PROXY header, TLS, or both.
///
/// One instance per listener and loop, without state of individual connections.
final class ConnectionOpening {
    let isSecure: Bool
    private let counters: WorkerCounters

    init(isSecure: Bool, counters: WorkerCounters) {
        self.isSecure = isSecure
        self.counters = counters
    }

    /// Records a completed handshake, with the time since the connection was accepted.
    func handshakeTook(_ nanoseconds: UInt64) {
        counters.record(.handshake, nanoseconds: nanoseconds)
    }

    /// Records a failed handshake or a timeout.
    func failed(_ error: any Error) {
        counters.add(to: isSecure ? .handshakeFailures : .proxyHeaderFailures)
    }

    /// Records a missing or untrusted PROXY header.
    func headerFailed() {
        counters.add(to: .proxyHeaderFailures)
    }
}

/// The handshake or the PROXY header exceeded `limits.handshake_timeout`.
struct OpeningTimeout: Error {}

/// An event: a PROXY header was read and removed from the input.
struct ProxyHeaderRead {
    /// The client's address. `nil` if the header designates the socket's peer.
    let source: IPAddress?
}
