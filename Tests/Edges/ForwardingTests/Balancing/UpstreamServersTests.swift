import Testing

@testable import Forwarding

@Suite struct UpstreamServersTests {
    private static let ejection = ServerEjection.Rule(failures: 2, time: 10, maxTime: 60, maxShare: 50)

    private func servers(
        _ weights: [Int], _ policy: UpstreamServers.Policy = .turns, slowStart: UInt64 = 0
    ) -> UpstreamServers {
        var servers = UpstreamServers(
            rule: UpstreamServers.Rule(policy: policy, ejection: Self.ejection, slowStart: slowStart), seed: 7)
        for (index, weight) in weights.enumerated() {
            _ = servers.add(name: UInt64(index + 1).mixed, weight: weight * 64)
        }
        servers.rebuild()
        return servers
    }

    private func counts(_ servers: inout UpstreamServers, _ requests: Int) -> [Int] {
        var counts = Array(repeating: 0, count: servers.servers.count)
        for _ in 0..<requests { counts[servers.choose(by: nil, avoiding: [])] += 1 }
        return counts
    }

    @Test(
        arguments: [
            ([1, 2, 5], .turns, [0, 0, 0], [100, 200, 500]),
            // The load is compared by weight. Equally loaded servers take turns.
            ([1, 1, 1], .leastRequests, [1, 0, 1], [0, 5, 0]), ([1, 1, 1], .leastRequests, [1, 0, 0], [0, 4, 4]),
            ([1, 1, 1], .leastRequests, [0, 0, 0], [100, 100, 100]), ([1, 4], .leastRequests, [1, 3], [0, 1]),
            ([1, 4], .leastRequests, [1, 5], [1, 0]),
            // A request without the value goes to the least loaded server.
            ([1, 1], .hash, [1, 0], [0, 1]),
        ] as [([Int], UpstreamServers.Policy, [Int], [Int])])
    func `the policy chooses by weight and load`(
        weights: [Int], policy: UpstreamServers.Policy, load: [Int], expected: [Int]
    ) {
        var servers = servers(weights, policy)
        for (server, requests) in load.enumerated() { for _ in 0..<requests { servers.began(server) } }
        #expect(counts(&servers, expected.reduce(0, +)) == expected)
    }

    @Test func `a tried server is avoided if there is another`() {
        var servers = servers([1, 1, 1])
        for _ in 0..<20 { #expect(servers.choose(by: nil, avoiding: [0, 2]) == 1) }
        _ = servers.choose(by: nil, avoiding: [0, 1, 2])
    }

    @Test func `a frozen server among many is avoided`() {
        var servers = servers(Array(repeating: 1, count: 40), .leastRequests)
        for _ in 0..<100 { servers.began(3) }
        let counts = counts(&servers, 4_000)
        #expect(counts[3] < 10)
        #expect(counts.enumerated().allSatisfy { $0.offset == 3 || (60...150).contains($0.element) })
    }

    @Test func `a value keeps its server`() {
        var servers = servers([1, 1, 1, 1], .hash)
        let owners = (0..<50).map { servers.choose(by: UInt64($0).mixed, avoiding: []) }
        #expect(Set(owners).count == 4)
        let again = (0..<50).map { servers.choose(by: UInt64($0).mixed, avoiding: []) }
        #expect(again == owners)
    }

    @Test func `a server far above its share is skipped`() {
        var servers = servers([1, 1, 1, 1], .hash)
        let owner = servers.choose(by: 7, avoiding: [])
        for _ in 0..<UpstreamServers.ownedAtLeast { servers.began(owner) }
        let next = servers.choose(by: 7, avoiding: [])
        #expect(next != owner)
        servers.ended(owner)
        #expect(servers.choose(by: 7, avoiding: []) == owner)
    }

    @Test func `a failing server is ejected and returns`() {
        var servers = servers([1, 1, 1])
        #expect(servers.failed(1, now: 1) == nil)
        #expect(servers.failed(1, now: 2) == .ejected(1, time: 10))
        #expect(counts(&servers, 100) == [50, 0, 50])
        #expect(servers.tick(now: 11) == [])
        #expect(servers.tick(now: 12) == [.returned(1)])
        // One request at a time, until the server has responded.
        servers.began(1)
        #expect(counts(&servers, 100)[1] == 0)
        servers.succeeded(1, now: 13)
        #expect(counts(&servers, 99)[1] == 33)
    }

    @Test func `requests before the ejection do not prevent a trial`() {
        var servers = servers([1, 1])
        for _ in 0..<3 { servers.began(0) }
        for now in 1...2 { _ = servers.failed(0, now: UInt64(now)) }
        _ = servers.tick(now: 12)
        #expect(counts(&servers, 10) == [5, 5])
        servers.began(0)
        #expect(counts(&servers, 10) == [0, 10])
    }

    @Test func `no more than the share is ejected`() {
        var servers = servers([1, 1, 1])
        for server in 0...2 { for now in 1...2 { _ = servers.failed(server, now: UInt64(now)) } }
        #expect(servers.candidates == [1, 2])
    }

    @Test func `the only server is never ejected`() {
        var servers = servers([1])
        for now in 1...99 { #expect(servers.failed(0, now: UInt64(now)) == nil) }
        #expect(servers.candidates == [0])
    }

    @Test func `all servers are used if all are unhealthy`() {
        var servers = servers([1, 1])
        #expect(servers.checked(0, passed: false, isHealthy: false, now: 1) == .unhealthy(0))
        #expect(counts(&servers, 10) == [0, 10])
        #expect(servers.checked(1, passed: false, isHealthy: false, now: 1) == .unhealthy(1))
        #expect(servers.isPanicking)
        #expect(counts(&servers, 10) == [5, 5])
        #expect(servers.checked(1, passed: true, isHealthy: true, now: 2) == .healthy(1))
        #expect(counts(&servers, 10) == [0, 10])
    }

    @Test func `passed checks return a server early`() {
        var servers = servers([1, 1])
        for now in 1...2 { _ = servers.failed(0, now: UInt64(now)) }
        #expect(servers.checked(0, passed: true, isHealthy: true, now: 3) == nil)
        #expect(servers.checked(0, passed: true, isHealthy: true, now: 4) == .returned(0))
        #expect(servers.servers[0].ejection.isOnTrial)
    }

    @Test func `a server that is back gets its share gradually`() {
        var servers = servers([1, 1], slowStart: 1000)
        _ = servers.checked(0, passed: false, isHealthy: false, now: 0)
        _ = servers.checked(0, passed: true, isHealthy: true, now: 10)
        var shares: [Int] = []
        for now in stride(from: UInt64(10), through: 1010, by: 250) {
            _ = servers.tick(now: now)
            shares.append(counts(&servers, 1000)[0])
        }
        #expect((20...80).contains(shares[0]))
        #expect(shares == shares.sorted())
        #expect(shares.last == 500)
        #expect(servers.rampCount == 0)
    }

    @Test func `the index of a removed server is reused when it is idle`() {
        var servers = servers([1, 1])
        servers.began(0)
        servers.servers[0].isPresent = false
        #expect(servers.add(name: 9, weight: 1) == 2)
        servers.ended(0)
        #expect(servers.add(name: 10, weight: 1) == 0)
        servers.rebuild()
        #expect(servers.candidates == [0, 1, 2])
    }
}
