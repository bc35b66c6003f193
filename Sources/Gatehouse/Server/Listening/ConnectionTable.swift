/// Which addresses have how many client connections, as a value: connections in, the connection that makes room out.
struct ConnectionTable {
    /// How a connection was received.
    enum Outcome {
        case admitted
        /// Admitted in the place of another, which is to end.
        case replaces(ConnectionSeat)
        case refused
    }

    /// How many more sockets than the limits there may be while connections that make room are closed.
    static let leavingAllowance = 32
    /// The share of the limit that one address has unless the configuration says otherwise: a quarter, but at least ``leastShare``.
    static let defaultShare = 4
    static let leastShare = 256
    /// How many of the heaviest addresses are searched for an idle connection.
    private static let searchedAddresses = 8

    private struct Place {
        /// Kept, so that no other seat gets its identifier.
        let seat: ConnectionSeat
        /// Nil: the connection counts for the total alone.
        let network: PeerNetwork?
        /// It was asked to end, and has not yet.
        var isLeaving = false
    }

    private let limit: Int
    private let limitPerAddress: Int
    private var places: [ObjectIdentifier: Place] = [:]
    private var leaving = 0
    /// The connections of each address that are to stay.
    private var seats: [PeerNetwork: [ConnectionSeat]] = [:]
    /// The addresses by the number of these connections.
    private var byWeight: [Int: Set<PeerNetwork>] = [:]

    /// - Parameter perAddress: nil: the default share.
    init(limit: Int, perAddress: Int? = nil) {
        self.limit = limit
        limitPerAddress = min(limit, perAddress ?? max(Self.leastShare, limit / Self.defaultShare))
    }

    /// With the connections of another: those that are open stay, also those above the limits.
    init(limit: Int, perAddress: Int?, keeping other: ConnectionTable) {
        self.init(limit: limit, perAddress: perAddress)
        (places, leaving, seats, byWeight) = (other.places, other.leaving, other.seats, other.byWeight)
    }

    /// How many connections there are, besides those that were asked to end.
    var count: Int { places.count - leaving }

    func count(of network: PeerNetwork) -> Int { seats[network]?.count ?? 0 }

    /// A connection comes.
    ///
    /// - Parameter network: nil: it counts for the total alone.
    mutating func admit(_ seat: ConnectionSeat, from network: PeerNetwork?) -> Outcome {
        let own = network.map { count(of: $0) } ?? 0
        guard places.count < limit + Self.leavingAllowance, own < limitPerAddress + Self.leavingAllowance else {
            return .refused
        }
        var replaced: ConnectionSeat?
        if let network, own >= limitPerAddress {
            replaced = idlest(of: [network])
            if replaced == nil { return .refused }
        } else if count >= limit {
            replaced = idlest(of: heaviest(besides: network, with: own))
            if replaced == nil { return .refused }
        }
        if let replaced { leave(replaced) }
        places[ObjectIdentifier(seat)] = Place(seat: seat, network: network)
        if let network { join(seat, network) }
        return replaced.map { .replaces($0) } ?? .admitted
    }

    /// A connection that counted for the total alone turns out to be of an address.
    mutating func move(_ seat: ConnectionSeat, to network: PeerNetwork) -> Outcome {
        remove(seat)
        return admit(seat, from: network)
    }

    /// A connection that was asked to end has begun a request meanwhile.
    mutating func stay(_ seat: ConnectionSeat) {
        guard let place = places[ObjectIdentifier(seat)], place.isLeaving else { return }
        places[ObjectIdentifier(seat)]?.isLeaving = false
        leaving -= 1
        if let network = place.network { join(seat, network) }
    }

    /// A connection is closed.
    mutating func remove(_ seat: ConnectionSeat) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(seat)) else { return }
        if place.isLeaving {
            leaving -= 1
        } else if let network = place.network {
            part(seat, network)
        }
    }

    /// It still has its socket, but counts no more.
    private mutating func leave(_ seat: ConnectionSeat) {
        guard let network = places[ObjectIdentifier(seat)]?.network else { return }
        part(seat, network)
        places[ObjectIdentifier(seat)]?.isLeaving = true
        leaving += 1
    }

    // MARK: - Addresses

    private mutating func join(_ seat: ConnectionSeat, _ network: PeerNetwork) {
        seats[network, default: []].append(seat)
        reweigh(network, from: count(of: network) - 1)
    }

    private mutating func part(_ seat: ConnectionSeat, _ network: PeerNetwork) {
        guard let index = seats[network]?.firstIndex(where: { $0 === seat }) else { return }
        let before = count(of: network)
        seats[network]?.swapAt(index, before - 1)
        seats[network]?.removeLast()
        if before == 1 { seats[network] = nil }
        reweigh(network, from: before)
    }

    private mutating func reweigh(_ network: PeerNetwork, from before: Int) {
        byWeight[before]?.remove(network)
        if byWeight[before]?.isEmpty == true { byWeight[before] = nil }
        let weight = count(of: network)
        if weight > 0 { byWeight[weight, default: []].insert(network) }
    }

    /// Addresses that have more connections than a newcomer's, the heaviest first, and then that one: an address with fewer gives none up for it.
    private func heaviest(besides own: PeerNetwork?, with weight: Int) -> [PeerNetwork] {
        var found: [PeerNetwork] = []
        for candidate in byWeight.keys.filter({ $0 > weight }).sorted(by: >) where found.count < Self.searchedAddresses
        {
            found += (byWeight[candidate] ?? []).prefix(Self.searchedAddresses - found.count)
        }
        return found + (own.map { [$0] } ?? [])
    }

    /// The connection that has been idle for longest, of the first of the addresses that has any.
    private func idlest(of networks: [PeerNetwork]) -> ConnectionSeat? {
        for network in networks {
            let idle = (seats[network] ?? []).compactMap { seat in seat.idleSince.map { (seat, $0) } }
            if let longest = idle.min(by: { $0.1 < $1.1 }) { return longest.0 }
        }
        return nil
    }
}
