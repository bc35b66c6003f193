import GatewayCore
import NIOCore

/// A client connection's place in the process's ``ConnectionBudget``. Lives on the connection's event loop.
final class ConnectionHolder {
    private let seat: ConnectionSeat
    private let budget: ConnectionBudget
    private let counters: WorkerCounters
    private let proxies: TrustedProxies
    /// The idleness that the budget knows of.
    private var noted: UInt64?

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
        noted = nil
        budget.stay(seat)
    }

    /// - Parameter peer: the socket's peer, whose address counts until a PROXY header names another.
    /// - Returns: false where there is no place; the connection must be closed.
    func takeSeat(for peer: PeerAddress) -> Bool {
        note(budget.admit(seat, from: network(of: peer)))
    }

    /// A PROXY header names the client.
    ///
    /// - Returns: false where its address has no place left; the connection must be closed.
    func client(is peer: PeerAddress) -> Bool {
        guard let network = network(of: peer) else { return true }
        return note(budget.move(seat, to: network))
    }

    /// How much longer a connection must be idle to change its place among the idle ones: ticks then seldom take the lock.
    private static let precision: UInt64 = 1_000_000_000

    /// Called at each tick, so that requests pay nothing for it.
    ///
    /// - Parameter time: since when the connection is idle; nil: it is not.
    func note(idleSince time: UInt64?) {
        switch (noted, time) {
        case (nil, nil): return
        case (let noted?, let time?) where time < noted &+ Self.precision: return
        default: break
        }
        noted = time
        budget.note(seat, idleSince: time)
    }

    private func network(of peer: PeerAddress) -> PeerNetwork? {
        peer.network == .unknown || proxies.trusts(peer) ? nil : peer.network
    }

    private func note(_ outcome: ConnectionTable.Outcome) -> Bool {
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
