import GatewayCore

/// The number of client connections per address, as a value: connections in, connections to close out.
///
/// Each operation takes constant time except the choice of an address, which depends on the number of different
/// connection counts. Event loops wait for each other here.
struct ConnectionTable {
    /// The result of ``admit(_:from:)``.
    enum Outcome {
        case admitted
        /// Admitted in exchange for these connections, which must close.
        case replaces([ConnectionLease])
        case refused
    }

    /// The maximum number of sockets above the limits while replaced connections are closing.
    static let leavingAllowance = 32
    /// The default limit per address: a quarter of the total, at least ``leastShare``.
    static let defaultShare = 4
    static let leastShare = 256
    /// The maximum number of connections replaced by one. More than one are replaced after the limits were lowered,
    /// until the table is within them again.
    static let evictionsPerAdmission = 4
    /// The number of idle connections of an address that are compared. The list is not exactly ordered, because event
    /// loops report at different times.
    private static let comparedConnections = 16

    private struct Place {
        /// Retained, so that no other seat can have the same identifier.
        let lease: ConnectionLease
        /// `nil` if the connection counts only against the total.
        let network: PeerNetwork?
        /// Whether it was asked to close and has not closed yet.
        var isLeaving = false
        /// `nil` if the connection is not known to be idle. Connections that count only against the total are never
        /// idle.
        var idleSince: UInt64?
        /// Its neighbours in the list of idle connections of its address.
        var previous, next: ObjectIdentifier?
    }

    /// The connections of one address, without closing ones.
    private struct Group {
        var count = 0
        /// The number of connections when the limits were lowered. It decreases with the count.
        var ceiling = 0
        /// The ends of the list of idle connections, in the order of reporting.
        var firstIdle, lastIdle: ObjectIdentifier?
    }

    private var limit: Int
    private var limitPerAddress: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private var leaving = 0
    /// The number of sockets when the limits were lowered. It decreases with the count.
    private var ceiling = 0
    private var groups: [PeerNetwork: Group] = [:]
    /// The addresses with idle connections, by the number of all their connections.
    private var byWeight: [Int: Set<PeerNetwork>] = [:]

    /// Creates an empty table. Without `perAddress`, the default share is the limit per address.
    init(limit: Int, perAddress: Int? = nil) {
        self.limit = limit
        limitPerAddress = Self.limitPerAddress(perAddress, of: limit)
    }

    private static func limitPerAddress(_ configured: Int?, of limit: Int) -> Int {
        min(limit, configured ?? max(leastShare, limit / defaultShare))
    }

    /// Changes the limits. Open connections stay, even above the limits, until new ones need their places.
    mutating func change(limit: Int, perAddress: Int?) {
        let share = Self.limitPerAddress(perAddress, of: limit)
        guard (limit, share) != (self.limit, limitPerAddress) else { return }
        (self.limit, limitPerAddress) = (limit, share)
        ceiling = places.count
        groups = groups.mapValues { group in
            var group = group
            group.ceiling = group.count
            return group
        }
    }

    /// The number of connections, without closing ones.
    var count: Int { places.count - leaving }

    func count(of network: PeerNetwork) -> Int { groups[network]?.count ?? 0 }

    /// Admits a connection. Without a network, it counts only against the total.
    mutating func admit(_ lease: ConnectionLease, from network: PeerNetwork?) -> Outcome {
        let group = network.flatMap { groups[$0] } ?? Group()
        // Connections that were asked to close may stay. This limits the additional sockets.
        guard places.count < max(limit, ceiling) + Self.leavingAllowance,
            group.count < max(limitPerAddress, group.ceiling) + Self.leavingAllowance
        else { return .refused }
        let isOver = count >= limit || (network != nil && group.count >= limitPerAddress)
        var evicted: [ConnectionLease] = []
        while evicted.count < Self.evictionsPerAdmission, leaving < Self.leavingAllowance,
            let id = connectionToEvict(for: network), let place = places[id]
        {
            leave(id)
            evicted.append(place.lease)
        }
        if isOver, evicted.isEmpty { return .refused }
        places[ObjectIdentifier(lease)] = Place(lease: lease, network: network)
        if let network { join(network) }
        return evicted.isEmpty ? .admitted : .replaces(evicted)
    }

    /// Moves a connection to another address. A closed connection is refused.
    mutating func move(_ lease: ConnectionLease, to network: PeerNetwork) -> Outcome {
        guard let place = places[ObjectIdentifier(lease)] else { return .refused }
        guard place.network != network else { return .admitted }
        remove(lease)
        return admit(lease, from: network)
    }

    /// Records the start of a connection's idle period, in monotonic nanoseconds. `nil` if it is not idle.
    mutating func record(_ lease: ConnectionLease, idleSince time: UInt64?) {
        let id = ObjectIdentifier(lease)
        guard let place = places[id], let network = place.network, !place.isLeaving else { return }
        unlink(id)
        if let time { link(id, network, since: time) }
    }

    /// Keeps a connection that was asked to close, for example because it has begun a request.
    mutating func stay(_ lease: ConnectionLease) {
        let id = ObjectIdentifier(lease)
        guard let place = places[id], place.isLeaving else { return }
        places[id]?.isLeaving = false
        leaving -= 1
        if let network = place.network { join(network) }
    }

    /// Removes a closed connection.
    mutating func remove(_ lease: ConnectionLease) {
        let id = ObjectIdentifier(lease)
        guard let place = places[id] else { return }
        if place.isLeaving {
            leaving -= 1
        } else if let network = place.network {
            unlink(id)
            part(network)
        }
        places[id] = nil
        ceiling = min(ceiling, places.count)
    }

    /// Marks a connection as closing. It still has its socket but no longer counts.
    private mutating func leave(_ id: ObjectIdentifier) {
        guard let network = places[id]?.network else { return }
        unlink(id)
        part(network)
        places[id]?.isLeaving = true
        leaving += 1
    }

    // MARK: - Choice

    /// Returns the idle connection to replace. At the limit of its own address, it is one of that address. At the total
    /// limit, it is one of the address with the most connections among those with an idle one. An address with fewer
    /// connections than the new one's loses none.
    private func connectionToEvict(for network: PeerNetwork?) -> ObjectIdentifier? {
        let own = network.map { count(of: $0) } ?? 0
        if let network, own >= limitPerAddress { return idlest(of: network) }
        guard count >= limit else { return nil }
        if let weight = byWeight.keys.max(), weight > own, let heaviest = byWeight[weight]?.first {
            return idlest(of: heaviest)
        }
        return network.flatMap(idlest)
    }

    /// Returns the connection of an address that has been idle for the longest time.
    private func idlest(of network: PeerNetwork) -> ObjectIdentifier? {
        var found: (id: ObjectIdentifier, since: UInt64)?
        var next = groups[network]?.firstIdle
        var compared = 0
        while let id = next, let place = places[id], compared < Self.comparedConnections {
            let since = place.idleSince ?? .max
            if since < found?.since ?? .max { found = (id, since) }
            next = place.next
            compared += 1
        }
        return found?.id
    }

    // MARK: - Addresses

    private mutating func join(_ network: PeerNetwork) {
        let before = groups[network, default: Group()]
        groups[network, default: Group()].count += 1
        guard before.firstIdle != nil else { return }
        weigh(network, was: before.count, is: before.count + 1)
    }

    private mutating func part(_ network: PeerNetwork) {
        guard var group = groups[network] else { return }
        group.count -= 1
        group.ceiling = min(group.ceiling, group.count)
        groups[network] = group.count > 0 ? group : nil
        guard group.firstIdle != nil else { return }
        weigh(network, was: group.count + 1, is: group.count)
    }

    /// Updates the index of addresses with idle connections.
    ///
    /// - Parameters:
    ///   - before: The previous count. `nil` if the address had no idle connection.
    ///   - weight: The current count. `nil` if the address has no idle connection.
    private mutating func weigh(_ network: PeerNetwork, was before: Int?, is weight: Int?) {
        if let before {
            byWeight[before]?.remove(network)
            if byWeight[before]?.isEmpty == true { byWeight[before] = nil }
        }
        if let weight { byWeight[weight, default: []].insert(network) }
    }

    // MARK: - Idle connections

    private mutating func link(_ id: ObjectIdentifier, _ network: PeerNetwork, since time: UInt64) {
        guard let group = groups[network] else { return }
        places[id]?.idleSince = time
        places[id]?.previous = group.lastIdle
        if let last = group.lastIdle {
            places[last]?.next = id
        } else {
            groups[network]?.firstIdle = id
            weigh(network, was: nil, is: group.count)
        }
        groups[network]?.lastIdle = id
    }

    private mutating func unlink(_ id: ObjectIdentifier) {
        guard let place = places[id], place.idleSince != nil, let network = place.network else { return }
        if let previous = place.previous {
            places[previous]?.next = place.next
        } else {
            groups[network]?.firstIdle = place.next
        }
        if let next = place.next {
            places[next]?.previous = place.previous
        } else {
            groups[network]?.lastIdle = place.previous
        }
        places[id]?.idleSince = nil
        places[id]?.previous = nil
        places[id]?.next = nil
        if place.previous == nil, place.next == nil { weigh(network, was: count(of: network), is: nil) }
    }
}
