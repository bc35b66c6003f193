import GatewayCore
import NIOCore
import Synchronization

/// The open connections of the admin listener, over all event loops.
///
/// Idle peers must not block others. At the limit, a connection without an authorised call is closed: the oldest one of
/// the network with the most connections. A probe therefore always receives a response.
final class AdminConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        let network: PeerNetwork
        /// Whether it may be replaced.
        var isIdle = true
    }

    private let limit, perNetwork: Int
    /// In order of arrival.
    private let entries = Mutex<[Entry]>([])
    private let closed = Mutex<UInt64>(0)

    init(limit: Int, perNetwork: Int) {
        self.limit = limit
        self.perNetwork = perNetwork
    }

    /// The number of connections that were closed because of the limit.
    var closedCount: UInt64 { closed.withLock { $0 } }

    /// Adds a connection, replacing another one at the limit. Returns `false` if authorised calls use all connections.
    func enter(_ channel: any Channel) -> Bool {
        let entry = Entry(channel: channel, network: PeerNetwork(channel.remoteAddress))
        let (isIn, evicted) = entries.withLock { entries in
            let victim = Self.victim(in: entries, for: entry.network, limit: limit, perNetwork: perNetwork)
            guard case .room(let index) = victim else { return (false, nil as (any Channel)?) }
            defer { entries.append(entry) }
            return (true, index.map { entries.remove(at: $0).channel })
        }
        if evicted != nil || !isIn { closed.withLock { $0 += 1 } }
        evicted?.close(promise: nil)
        return isIn
    }

    /// Protects a connection from replacement while an authorised call uses it.
    func keep(_ channel: any Channel) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else { return }
            entries[index].isIdle = false
        }
    }

    /// Removes a connection, whether it was added or not.
    func leave(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }

    private enum Victim {
        /// The connection can be added after the entry at this index is removed.
        case room(Int?)
        case none
    }

    private static func victim(
        in entries: [Entry], for network: PeerNetwork, limit: Int, perNetwork: Int
    ) -> Victim {
        let idle = entries.filter(\.isIdle)
        let crowded: PeerNetwork?
        if entries.count(where: { $0.network == network }) >= perNetwork {
            crowded = network
        } else if entries.count >= limit {
            crowded = idle.map(\.network).max { one, other in
                idle.count { $0.network == one } < idle.count { $0.network == other }
            }
            if crowded == nil { return .none }
        } else {
            return .room(nil)
        }
        return entries.firstIndex { $0.isIdle && $0.network == crowded }.map { .room($0) } ?? .none
    }
}
