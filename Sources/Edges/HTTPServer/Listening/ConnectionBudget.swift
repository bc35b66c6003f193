import GatewayCore
import Synchronization

/// The number and the limits of client connections of the process, in total and per address.
package final class ConnectionBudget: Sendable {
    private let table: Mutex<ConnectionTable>
    /// The budget of peers that the listener does not trust. `nil` if they share this one.
    package let strangers: ConnectionBudget?

    package init(limit: Int, perAddress: Int? = nil, strangers: ConnectionBudget? = nil) {
        self.strangers = strangers
        table = Mutex(ConnectionTable(limit: limit, perAddress: perAddress))
    }

    /// Changes the limits. Open connections stay, even above them.
    ///
    /// - Parameter perAddress: The limit per address. `nil` for the default share of `limit`.
    package func change(limit: Int, perAddress: Int? = nil) {
        table.withLock { $0.change(limit: limit, perAddress: perAddress) }
    }

    /// Admits a connection within the limits, or if idle connections can be replaced. Without a network, the connection
    /// counts only against the total.
    func admit(_ lease: ConnectionLease, from network: PeerNetwork?) -> ConnectionTable.Outcome {
        perform(table.withLock { $0.admit(lease, from: network) })
    }

    /// Moves a connection to another address, which a PROXY header stated.
    func move(_ lease: ConnectionLease, to network: PeerNetwork) -> ConnectionTable.Outcome {
        perform(table.withLock { $0.move(lease, to: network) })
    }

    /// Records the start of a connection's idle period, in monotonic nanoseconds. `nil` if it is not idle.
    func record(_ lease: ConnectionLease, idleSince time: UInt64?) {
        table.withLock { $0.record(lease, idleSince: time) }
    }

    /// Keeps a connection that was asked to close.
    func stay(_ lease: ConnectionLease) {
        table.withLock { $0.stay(lease) }
    }

    func release(_ lease: ConnectionLease) {
        table.withLock { $0.remove(lease) }
    }

    private func perform(_ outcome: ConnectionTable.Outcome) -> ConnectionTable.Outcome {
        if case .replaces(let seats) = outcome { for lease in seats { lease.makeRoom() } }
        return outcome
    }
}

/// One open client connection in the ``ConnectionBudget``.
final class ConnectionLease: Sendable {
    private let end: @Sendable () -> Void

    /// Creates a seat. `end` asks the connection to close.
    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    func makeRoom() { end() }
}
