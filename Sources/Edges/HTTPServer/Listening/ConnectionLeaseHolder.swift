import GatewayCore
import NIOCore

/// A client connection's entry in the process's ``ConnectionBudget``, on the connection's event loop.
final class ConnectionLeaseHolder {
    private let lease: ConnectionLease
    private let budget: ConnectionBudget
    private let counters: WorkerCounters
    private let proxies: TrustedProxies
    /// The idle time that was last reported to the budget.
    private var noted: UInt64?

    /// Creates an entry. Connections of trusted `proxies` count only against the total, because they carry requests of
    /// many clients.
    init(channel: any Channel, budget: ConnectionBudget, counters: WorkerCounters, proxies: TrustedProxies) {
        lease = ConnectionLease { channel.pipeline.fireUserInboundEventTriggered(MakeRoom()) }
        self.budget = budget
        self.counters = counters
        self.proxies = proxies
        channel.closeFuture.whenComplete { [lease] _ in budget.release(lease) }
    }

    /// An event that asks a connection to close.
    struct MakeRoom {}

    /// Reports that the connection does not close yet.
    func stay() {
        noted = nil
        budget.stay(lease)
    }

    /// Admits the connection.
    ///
    /// - Parameter peer: The socket's peer, whose address counts until a PROXY header states another.
    /// - Returns: `false` if the limit is reached; the connection must be closed.
    func acquireLease(for peer: PeerAddress) -> Bool {
        record(budget.admit(lease, from: network(of: peer)))
    }

    /// Assigns the connection to the client that a PROXY header stated. Returns `false` if the limit of its address is
    /// reached; the connection must be closed.
    func client(is peer: PeerAddress) -> Bool {
        guard let network = network(of: peer) else { return true }
        return record(budget.move(lease, to: network))
    }

    /// The minimum change of the idle time that is reported, in nanoseconds, so that ticks seldom take the lock.
    private static let precision: UInt64 = 1_000_000_000

    /// Reports the start of the idle period, or `nil` if the connection is not idle. Called at each tick, so that
    /// requests do not pay for it.
    func record(idleSince time: UInt64?) {
        switch (noted, time) {
        case (nil, nil): return
        case (let noted?, let time?) where time < noted &+ Self.precision: return
        default: break
        }
        noted = time
        budget.record(lease, idleSince: time)
    }

    private func network(of peer: PeerAddress) -> PeerNetwork? {
        peer.network == .unknown || proxies.trusts(peer) ? nil : peer.network
    }

    private func record(_ outcome: ConnectionTable.Outcome) -> Bool {
        switch outcome {
        case .admitted: return true
        case .replaces(let seats):
            counters.add(UInt64(seats.count), to: .connectionsEvicted)
            return true
        case .refused:
            counters.add(to: .connectionsRefused)
            return false
        }
    }
}
