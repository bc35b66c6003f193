import GatewayCore
import NIOCore
import Synchronization

/// The open connections of the admin listener, over all event loops.
///
/// A peer that only connects must not keep others out: where there is no room, a connection is closed that no authorised call is using. It is
/// the oldest one of the network that has most of them, so a probe is answered whatever number of connections others hold open.
final class AdminConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        let network: PeerNetwork
        /// Whether it may be closed for another.
        var isIdle = true
    }

    private let limit, perNetwork: Int
    /// In the order of their arrival.
    private let entries = Mutex<[Entry]>([])
    private let closed = Mutex<UInt64>(0)

    init(limit: Int, perNetwork: Int) {
        self.limit = limit
        self.perNetwork = perNetwork
    }

    /// Connections that were closed for want of room.
    var closedCount: UInt64 { closed.withLock { $0 } }

    /// Adds a connection, in the place of another if there is no room.
    ///
    /// - Returns: Whether it may stay; not if authorised calls are using all connections.
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

    /// Keeps a connection until it leaves: an authorised call is using it.
    func keep(_ channel: any Channel) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.channel === channel }) else { return }
            entries[index].isIdle = false
        }
    }

    /// Removes a connection, whether it stayed or not.
    func leave(_ channel: any Channel) {
        entries.withLock { $0.removeAll { $0.channel === channel } }
    }

    private enum Victim {
        /// There is room, once the entry at the index is gone.
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
