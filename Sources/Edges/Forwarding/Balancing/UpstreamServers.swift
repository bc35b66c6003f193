/// A worker's view of one upstream's servers, and the choice of a server for each request, as a pure value.
///
/// A server keeps its number while it exists. The number of a removed one is reused when its last connection is gone. A
/// choice costs O(log n) and does not allocate; with one server it returns immediately.
package struct UpstreamServers: Sendable {
    /// The balancing policy.
    enum Policy: Sendable {
        case turns, leastRequests, hash
    }

    /// The parameters of the choice.
    struct Rule: Sendable {
        var policy = Policy.turns
        var ejection: ServerEjection.Rule?
        /// The duration of the slow start of a returned server, in nanoseconds.
        var slowStart: UInt64 = 0
        /// The number of successful checks that end an ejection.
        var goodChecks = 2
    }

    package struct Server: Sendable {
        /// The hash of its name, for the ring.
        var name: UInt64
        var weight: Int
        package var isPresent = true
        /// The verdict of health checks.
        package var isHealthy = true
        package var ejection = ServerEjection()
        var checksPassed = 0
        /// The fraction of its share, in 256ths. Less than 256 during a slow start.
        package var ramp = UpstreamServers.wholeShare
        var rampsSince: UInt64 = 0
        /// Connections that serve a request or are being opened for one.
        package var busy = 0
        /// The number of these connections when it returned on trial. Their results do not count for the trial.
        var busyBefore = 0
        /// Whether it receives requests.
        var isCandidate = false

        @inline(__always)
        var share: UInt64 { UInt64(truncatingIfNeeded: weight &* ramp) }
        /// Whether it is on trial and already serves the one permitted request.
        @inline(__always)
        var isTried: Bool { ejection.isOnTrial && busy > busyBefore }
        var isUsable: Bool { isPresent && isHealthy && !ejection.isEjected }
    }

    package static let wholeShare = 256
    /// The initial fraction in a slow start, in 256ths: about 5 %.
    static let firstShare = 13
    /// Up to this number of servers, all are compared for the fewest requests. Beyond it, the next in turn and a random
    /// one are compared.
    static let comparedAtMost = 16
    /// A server accepts the requests of its values while it serves fewer than this, regardless of the others.
    static let ownedAtLeast = 16

    let rule: Rule
    package var servers: [Server] = []
    /// The servers that receive requests: the usable ones, or all present ones if no server is usable.
    private(set) var candidates: [Int] = []
    private(set) var isPanicking = false
    var rampCount = 0
    private var candidateWeight = 1
    private var totalBusy = 0
    private var turns = WeightedTurns()
    private var ring: HashRing?
    private var random: UInt64

    /// Creates an empty set of servers. `seed` is for random choices.
    init(rule: Rule, seed: UInt64 = 0) {
        self.rule = rule
        random = seed
    }

    /// Adds a server and returns its number.
    mutating func add(name: UInt64, weight: Int) -> Int {
        let server = Server(name: name, weight: max(1, weight))
        guard let free = servers.firstIndex(where: { !$0.isPresent && $0.busy == 0 }) else {
            servers.append(server)
            return servers.count - 1
        }
        servers[free] = server
        return free
    }

    /// Updates the ring after servers, weights or names have changed.
    mutating func rebuild() {
        let present = servers.indices.filter { servers[$0].isPresent }
        ring = rule.policy == .hash ? HashRing(present.map { ($0, servers[$0].name, servers[$0].weight) }) : nil
        resolve()
    }

    /// Updates the candidates after usability has changed.
    mutating func resolve() {
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

    /// Returns the server for a request.
    ///
    /// - Parameters:
    ///   - value: The hash of the value to choose by. `nil` without such a value.
    ///   - tried: The servers that failed for this request. They are chosen only if there is no alternative.
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

    /// Returns the least loaded server. Equally loaded servers take turns.
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
        // Equally loaded servers take turns.
        for _ in candidates {
            let next = turns.next { servers[$0].share }
            if !isLessLoaded(least, than: next), mayTake(next, tried) { return next }
        }
        return least
    }

    private func isLessLoaded(_ first: Int, than second: Int) -> Bool {
        UInt64(servers[first].busy) &* servers[second].share < UInt64(servers[second].busy) &* servers[first].share
    }

    /// Returns the owner of a value, or the next server on the ring if the owner exceeds its share by a quarter.
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

    /// Returns whether idle connections to the server are kept.
    @inline(__always)
    func keeps(_ server: Int) -> Bool { servers[server].isCandidate }
}
