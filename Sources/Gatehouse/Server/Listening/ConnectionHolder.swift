import NIOCore

/// A client connection's place in the process's ``ConnectionBudget``. Lives on the connection's event loop.
final class ConnectionHolder {
    private let seat: ConnectionSeat
    private let budget: ConnectionBudget
    private let counters: WorkerCounters
    private let proxies: TrustedProxies

    /// - Parameter proxies: whose connections count for the total alone, since they carry requests of many clients.
    init(channel: any Channel, budget: ConnectionBudget, counters: WorkerCounters, proxies: TrustedProxies) {
        seat = ConnectionSeat { channel.pipeline.fireUserInboundEventTriggered(MakeRoom()) }
        self.budget = budget
        self.counters = counters
        self.proxies = proxies
        channel.closeFuture.whenComplete { [seat] _ in budget.giveBack(seat) }
    }

    /// Asks a connection to end.
    struct MakeRoom {}

    /// It does not end yet.
    func stay() {
        budget.stay(seat)
    }

    /// - Parameter peer: nil: not known yet.
    /// - Returns: false where there is no place; the connection must be closed.
    func takeSeat(for peer: PeerAddress?) -> Bool {
        note(budget.admit(seat, from: peer.flatMap(network)))
    }

    /// The client is known now.
    ///
    /// - Returns: false where its address has no place left; the connection must be closed.
    func client(is peer: PeerAddress) -> Bool {
        guard let network = network(of: peer) else { return true }
        return note(budget.move(seat, to: network))
    }

    func note(idleSince time: UInt64?) {
        seat.note(idleSince: time)
    }

    private func network(of peer: PeerAddress) -> PeerNetwork? {
        peer.network == .unknown || proxies.trusts(peer) ? nil : peer.network
    }

    private func note(_ outcome: ConnectionTable.Outcome) -> Bool {
        switch outcome {
        case .admitted: return true
        case .replaces:
            counters.add(to: .connectionsEvicted)
            return true
        case .refused:
            counters.add(to: .connectionsRefused)
            return false
        }
    }
}
