import GatewayCore

/// Which addresses have how many client connections, as a value: connections in, the connections that make room out.
///
/// Each operation takes constant time, besides the choice of an address, which looks at the different numbers of connections that
/// addresses have: event loops wait for each other here.
struct ConnectionTable {
    /// The result of ``admit(_:from:)``.
    enum Outcome {
        case admitted
        /// Admitted in the place of others, which are to end.
        case replaces([ConnectionSeat])
        case refused
    }

    /// How many more sockets than the limits there may be while connections that make room are closed.
    static let leavingAllowance = 32
    /// The share of the limit that one address has unless the configuration says otherwise: a quarter, but at least ``leastShare``.
    static let defaultShare = 4
    static let leastShare = 256
    /// How many connections make room for one. More than one do where the limits were lowered, until the table is within them again.
    static let evictionsPerAdmission = 4
    /// How many idle connections of an address are compared: event loops note theirs at different times, so the order is not exact.
    private static let comparedConnections = 16

    private struct Place {
        /// Retained, so that no other seat gets its identifier.
        let seat: ConnectionSeat
        /// Nil: the connection counts for the total alone.
        let network: PeerNetwork?
        /// It was asked to end, and has not yet.
        var isLeaving = false
        /// Nil: not idle, as far as is known. Connections that count for the total alone never are.
        var idleSince: UInt64?
        /// Its neighbours among the idle connections of its address.
        var previous, next: ObjectIdentifier?
    }

    /// The connections of one address that are to stay.
    private struct Group {
        var count = 0
        /// The number of connections when the limits were lowered. It falls with the number.
        var ceiling = 0
        /// The ends of the list of idle connections, in the order in which their idleness was noted.
        var firstIdle, lastIdle: ObjectIdentifier?
    }

    private var limit: Int
    private var limitPerAddress: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private var leaving = 0
    /// The number of sockets when the limits were lowered. It falls with the number.
    private var ceiling = 0
    private var groups: [PeerNetwork: Group] = [:]
    /// The addresses that have idle connections, by the number of all their connections.
    private var byWeight: [Int: Set<PeerNetwork>] = [:]

    /// - Parameter perAddress: nil: the default share.
    init(limit: Int, perAddress: Int? = nil) {
        self.limit = limit
        limitPerAddress = Self.limitPerAddress(perAddress, of: limit)
    }

    private static func limitPerAddress(_ configured: Int?, of limit: Int) -> Int {
        min(limit, configured ?? max(leastShare, limit / defaultShare))
    }

    /// Other limits from now on. Open connections stay, also those above the limits, until newcomers need their places.
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

    /// How many connections there are, besides those that were asked to end.
    var count: Int { places.count - leaving }

    func count(of network: PeerNetwork) -> Int { groups[network]?.count ?? 0 }

    /// A connection comes.
    ///
    /// - Parameter network: nil: it counts for the total alone.
    mutating func admit(_ seat: ConnectionSeat, from network: PeerNetwork?) -> Outcome {
        let group = network.flatMap { groups[$0] } ?? Group()
        // Connections that were asked to end may stay: this bounds how many sockets that adds.
        guard places.count < max(limit, ceiling) + Self.leavingAllowance,
            group.count < max(limitPerAddress, group.ceiling) + Self.leavingAllowance
        else { return .refused }
        let isOver = count >= limit || (network != nil && group.count >= limitPerAddress)
        var evicted: [ConnectionSeat] = []
        while evicted.count < Self.evictionsPerAdmission, leaving < Self.leavingAllowance,
            let id = connectionToEvict(for: network), let place = places[id]
        {
            leave(id)
            evicted.append(place.seat)
        }
        if isOver, evicted.isEmpty { return .refused }
        places[ObjectIdentifier(seat)] = Place(seat: seat, network: network)
        if let network { join(network) }
        return evicted.isEmpty ? .admitted : .replaces(evicted)
    }

    /// A connection turns out to be of another address. One that is closed already stays so.
    mutating func move(_ seat: ConnectionSeat, to network: PeerNetwork) -> Outcome {
        guard let place = places[ObjectIdentifier(seat)] else { return .refused }
        guard place.network != network else { return .admitted }
        remove(seat)
        return admit(seat, from: network)
    }

    /// - Parameter time: since when the connection is idle, in monotonic nanoseconds; nil: it is not.
    mutating func note(_ seat: ConnectionSeat, idleSince time: UInt64?) {
        let id = ObjectIdentifier(seat)
        guard let place = places[id], let network = place.network, !place.isLeaving else { return }
        unlink(id)
        if let time { link(id, network, since: time) }
    }

    /// A connection that was asked to end does not: it has begun a request meanwhile, for example.
    mutating func stay(_ seat: ConnectionSeat) {
        let id = ObjectIdentifier(seat)
        guard let place = places[id], place.isLeaving else { return }
        places[id]?.isLeaving = false
        leaving -= 1
        if let network = place.network { join(network) }
    }

    /// A connection is closed.
    mutating func remove(_ seat: ConnectionSeat) {
        let id = ObjectIdentifier(seat)
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

    /// It still has its socket, but counts no more.
    private mutating func leave(_ id: ObjectIdentifier) {
        guard let network = places[id]?.network else { return }
        unlink(id)
        part(network)
        places[id]?.isLeaving = true
        leaving += 1
    }

    // MARK: - Choice

    /// The idle connection that makes room for a newcomer: of its own address, where that has its share; else, where all places are taken, of
    /// the heaviest address that has an idle one. An address with fewer connections than the newcomer's gives none up for it.
    private func connectionToEvict(for network: PeerNetwork?) -> ObjectIdentifier? {
        let own = network.map { count(of: $0) } ?? 0
        if let network, own >= limitPerAddress { return idlest(of: network) }
        guard count >= limit else { return nil }
        if let weight = byWeight.keys.max(), weight > own, let heaviest = byWeight[weight]?.first {
            return idlest(of: heaviest)
        }
        return network.flatMap(idlest)
    }

    /// The connection of an address that has been idle for longest.
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

    /// - Parameters:
    ///   - before: nil: the address had no idle connection.
    ///   - weight: nil: it has none now.
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
