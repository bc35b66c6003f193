import GatewayCore
import Synchronization

/// How many client connections the process has, and may have, in total and of one address.
package final class ConnectionBudget: Sendable {
    private let table: Mutex<ConnectionTable>

    package init(limit: Int, perAddress: Int? = nil) {
        table = Mutex(ConnectionTable(limit: limit, perAddress: perAddress))
    }

    /// From now on; connections that are open stay, also those above it.
    ///
    /// - Parameter perAddress: nil: the default share of `limit`.
    package func change(limit: Int, perAddress: Int? = nil) {
        table.withLock { $0.change(limit: limit, perAddress: perAddress) }
    }

    /// Takes a place, if there is one, or if idle connections make room.
    ///
    /// - Parameter network: nil: the connection counts for the total alone.
    func admit(_ seat: ConnectionSeat, from network: PeerNetwork?) -> ConnectionTable.Outcome {
        perform(table.withLock { $0.admit(seat, from: network) })
    }

    /// A connection turns out to be of another address, as a PROXY header tells.
    func move(_ seat: ConnectionSeat, to network: PeerNetwork) -> ConnectionTable.Outcome {
        perform(table.withLock { $0.move(seat, to: network) })
    }

    /// - Parameter time: since when the connection is idle, in monotonic nanoseconds; nil: it is not.
    func note(_ seat: ConnectionSeat, idleSince time: UInt64?) {
        table.withLock { $0.note(seat, idleSince: time) }
    }

    /// A connection that was asked to make room does not end.
    func stay(_ seat: ConnectionSeat) {
        table.withLock { $0.stay(seat) }
    }

    func giveBack(_ seat: ConnectionSeat) {
        table.withLock { $0.remove(seat) }
    }

    private func perform(_ outcome: ConnectionTable.Outcome) -> ConnectionTable.Outcome {
        if case .replaces(let seats) = outcome { for seat in seats { seat.makeRoom() } }
        return outcome
    }
}

/// One open client connection in the ``ConnectionBudget``.
final class ConnectionSeat: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: asks the connection to end.
    init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    func makeRoom() { end() }
}
