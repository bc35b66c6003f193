/// The servers of one upstream as one worker sees them, and which of them a request goes to: a pure value.
///
/// A server keeps its place, its number, while it is there; the number of one that is gone is given to another once none of its
/// connections is left. Choosing costs O(log n) and allocates nothing; with one server it returns at once.
package struct UpstreamServers: Sendable {
    /// How a server is chosen.
    enum Policy: Sendable {
        case turns, leastRequests, hash
    }

    /// What the choice follows from.
    struct Rule: Sendable {
        var policy = Policy.turns
        var ejection: ServerEjection.Rule?
        /// How long a server that came back takes to get its whole share, in nanoseconds.
        var slowStart: UInt64 = 0
        /// So many good checks bring a server back that was left out.
        var goodChecks = 2
    }

    package struct Server: Sendable {
        /// A hash of its name, for the ring.
        var name: UInt64
        var weight: Int
        package var isPresent = true
        /// What the checks say.
        package var isHealthy = true
        package var ejection = ServerEjection()
        var checksPassed = 0
        /// Of its share, in 256ths: less while it starts slowly.
        package var ramp = UpstreamServers.wholeShare
        var rampsSince: UInt64 = 0
        /// Connections that serve, or are being opened for, a request.
        package var busy = 0
        /// How many of them there were already when it came back on trial: what it did before says nothing of now.
        var busyBefore = 0
        /// Gets requests now.
        var isCandidate = false

        @inline(__always)
        var share: UInt64 { UInt64(truncatingIfNeeded: weight &* ramp) }
        /// It is on trial, and serves the one request that it may have.
        @inline(__always)
        var isTried: Bool { ejection.isOnTrial && busy > busyBefore }
        var isUsable: Bool { isPresent && isHealthy && !ejection.isEjected }
    }

    package static let wholeShare = 256
    /// What a server begins with that starts slowly, in 256ths: about 5 %.
    static let firstShare = 13
    /// Up to so many servers, all are compared for the fewest requests; beyond, the next in turn and one at random.
    static let comparedAtMost = 16
    /// A server takes its values' requests while it serves fewer than this, whatever the others do.
    static let ownedAtLeast = 16

    let rule: Rule
    package var servers: [Server] = []
    /// Who gets requests now: those who are usable, or, where none is, all who are there.
    private(set) var candidates: [Int] = []
    private(set) var isPanicking = false
    var rampCount = 0
    private var candidateWeight = 1
    private var totalBusy = 0
    private var turns = WeightedTurns()
    private var ring: HashRing?
    private var random: UInt64

    /// - Parameter seed: of the choices at random.
    init(rule: Rule, seed: UInt64 = 0) {
        self.rule = rule
        random = seed
    }

    /// - Returns: the number of the new server.
    mutating func add(name: UInt64, weight: Int) -> Int {
        let server = Server(name: name, weight: max(1, weight))
        guard let free = servers.firstIndex(where: { !$0.isPresent && $0.busy == 0 }) else {
            servers.append(server)
            return servers.count - 1
        }
        servers[free] = server
        return free
    }

    /// Servers, weights or names have changed.
    mutating func rebuild() {
        let present = servers.indices.filter { servers[$0].isPresent }
        ring = rule.policy == .hash ? HashRing(present.map { ($0, servers[$0].name, servers[$0].weight) }) : nil
        settle()
    }

    /// Who is usable has changed.
    mutating func settle() {
        let present = servers.indices.filter { servers[$0].isPresent }
        let usable = present.filter { servers[$0].isUsable }
        isPanicking = usable.isEmpty
        candidates = isPanicking ? present : usable
        for index in servers.indices { servers[index].isCandidate = false }
        for index in candidates { servers[index].isCandidate = true }
        candidateWeight = max(1, candidates.reduce(0) { $0 + servers[$1].weight })
        rampCount = servers.count { $0.ramp < Self.wholeShare }
        let shares = servers.map(\.share)
        turns.begin(candidates) { shares[$0] }
    }

    // MARK: - Choosing

    /// The server for a request.
    ///
    /// - Parameters:
    ///   - value: the hash of what the server is chosen by; nil: there is nothing to choose by.
    ///   - tried: who served it before, and failed; one of them only where there is no other.
    @inline(__always)
    mutating func choose(by value: UInt64?, avoiding tried: [Int]) -> Int {
        candidates.count == 1 ? candidates[0] : chooseAmongMany(by: value, avoiding: tried)
    }

    private mutating func chooseAmongMany(by value: UInt64?, avoiding tried: [Int]) -> Int {
        switch rule.policy {
        case .turns: return nextTurn(avoiding: tried)
        case .leastRequests: return leastLoaded(avoiding: tried)
        case .hash:
            guard let value, let owner = owner(of: value, avoiding: tried) else { return leastLoaded(avoiding: tried) }
            return owner
        }
    }

    private mutating func nextTurn(avoiding tried: [Int]) -> Int {
        guard !turns.isEmpty else { return 0 }
        for _ in candidates {
            let server = turns.next { servers[$0].share }
            if mayTake(server, tried) { return server }
        }
        return candidates.first { mayTake($0, tried) } ?? candidates.first { !tried.contains($0) }
            ?? turns.next { servers[$0].share }
    }

    @inline(__always)
    private func mayTake(_ server: Int, _ tried: [Int]) -> Bool {
        if servers[server].isTried, !isPanicking { return false }
        return tried.isEmpty || !tried.contains(server)
    }

    /// Among equals, whose turn it is.
    private mutating func leastLoaded(avoiding tried: [Int]) -> Int {
        let best = nextTurn(avoiding: tried)
        guard candidates.count > Self.comparedAtMost else { return leastOfAll(besides: best, avoiding: tried) }
        random &+= 0x9e37_79b9_7f4a_7c15
        let other = candidates[Int(random.mixed % UInt64(candidates.count))]
        return isLessLoaded(other, than: best) && mayTake(other, tried) ? other : best
    }

    private mutating func leastOfAll(besides turn: Int, avoiding tried: [Int]) -> Int {
        var least = turn
        for other in candidates where isLessLoaded(other, than: least) && mayTake(other, tried) { least = other }
        guard least != turn else { return turn }
        // Those who have as little to do take turns too.
        for _ in candidates {
            let next = turns.next { servers[$0].share }
            if !isLessLoaded(least, than: next), mayTake(next, tried) { return next }
        }
        return least
    }

    private func isLessLoaded(_ first: Int, than second: Int) -> Bool {
        UInt64(servers[first].busy) &* servers[second].share < UInt64(servers[second].busy) &* servers[first].share
    }

    /// The server that the value belongs to, or the next on the ring where that one has a quarter more to do than its share.
    private func owner(of value: UInt64, avoiding tried: [Int]) -> Int? {
        let place = value.mixed & 255
        return ring?.first(from: value) { server in
            let candidate = servers[server]
            return candidate.isCandidate && place < UInt64(candidate.ramp) && !isOverloaded(candidate)
                && mayTake(server, tried)
        }
    }

    private func isOverloaded(_ server: Server) -> Bool {
        server.busy >= Self.ownedAtLeast
            && server.busy &* candidateWeight &* 4 >= (totalBusy &+ 1) &* server.weight &* 5
    }

    // MARK: - Requests

    @inline(__always)
    mutating func began(_ server: Int) {
        servers[server].busy &+= 1
        totalBusy &+= 1
    }

    @inline(__always)
    mutating func ended(_ server: Int) {
        servers[server].busy &-= 1
        totalBusy &-= 1
    }

    /// Whether connections to it are kept for later requests.
    @inline(__always)
    func keeps(_ server: Int) -> Bool { servers[server].isCandidate }
}
