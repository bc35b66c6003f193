import GatewayCore
import NIOCore
import Revocation
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import StoreFixtures

@Suite struct CallRatesTests {
    private static let start: UInt64 = .seconds(1000)

    /// How many calls pass at once.
    private func burst(_ allow: () -> Int?) -> Int {
        var count = 0
        while count < 100_000, allow() == nil { count += 1 }
        return count
    }

    @Test(arguments: [(120, 40), (20, 6), (15, 5), (3, 5), (1, 5), (100_000, 33_333)])
    func aThirdOfAMinutesCallsMayComeAtOnceAndAtLeastFive(_ rate: Int, _ expected: Int) {
        let rates = CallRates(perAddress: rate, perAccount: rate)
        #expect(burst { rates.allow(user: "ada", now: Self.start) } == expected)
        #expect(burst { rates.allow(network: .version4(1), now: Self.start) } == expected)
    }

    @Test(arguments: [(120, 1), (20, 3), (7, 9), (1, 60)])
    func whoIsRefusedIsToldWhenTheNextCallPasses(_ rate: Int, _ seconds: Int) {
        let rates = CallRates(perAddress: 1, perAccount: rate)
        _ = burst { rates.allow(user: "ada", now: Self.start) }
        #expect(rates.allow(user: "ada", now: Self.start) == seconds)
        #expect(rates.allow(user: "ada", now: Self.start + .seconds(Double(seconds))) == nil)
    }

    @Test func callsPassAtTheRateAndNoFaster() {
        let rates = CallRates(perAddress: 1, perAccount: 20)
        let passed = (0..<600).filter { rates.allow(user: "ada", now: Self.start + .seconds(Double($0))) == nil }
        // Ten minutes of 20, and what was there at the start.
        #expect(passed.count == 205)
    }

    @Test func aBucketIsFullAgainAfterAThirdOfAMinute() {
        let rates = CallRates(perAddress: 120, perAccount: 1)
        let network = PeerNetwork.version6(7)
        #expect(burst { rates.allow(network: network, now: Self.start) } == 40)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(10)) } == 20)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(30)) } == 40)
        #expect(burst { rates.allow(network: network, now: Self.start + .seconds(3000)) } == 40)
    }

    @Test func aRefusedCallCountsForNothing() {
        let rates = CallRates(perAddress: 1, perAccount: 20)
        _ = burst { rates.allow(user: "ada", now: Self.start) }
        for _ in 0..<1000 { _ = rates.allow(user: "ada", now: Self.start + .seconds(2)) }
        #expect(rates.allow(user: "ada", now: Self.start + .seconds(3)) == nil)
    }

    @Test func eachNetworkAndEachAccountHasItsOwnBucket() throws {
        let rates = CallRates(perAddress: 1, perAccount: 1)
        let networks = try ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"].map {
            PeerNetwork(try SocketAddress(ipAddress: $0, port: 1))
        }
        for network in networks + [.unknown] {
            #expect(burst { rates.allow(network: network, now: Self.start) } == 5)
        }
        // Canonically equivalent names are different names.
        for account in ["ada", "Ada", "", "caf\u{e9}", "cafe\u{301}"] {
            #expect(burst { rates.allow(user: UserKey(account), now: Self.start) } == 5)
        }
    }

    @Test func theClockOfAnotherThreadMayBeBehind() {
        let rates = CallRates(perAddress: 1, perAccount: 60)
        #expect(rates.allow(user: "ada", now: Self.start) == nil)
        #expect(burst { rates.allow(user: "ada", now: Self.start - 1) } == 18)
    }

    @Test func `of many calls at once no more pass than the bucket holds`() async {
        let rates = CallRates(perAddress: 1, perAccount: 120)
        #expect(rates.allow(user: "ada", now: Self.start) == nil)
        let passed = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).count { _ in rates.allow(user: "ada", now: Self.start) == nil } }
            }
            return await group.reduce(0, +)
        }
        #expect(passed == 39)
    }

    @Test func `a call's rate is of one tenant's user alone`() {
        let rates = CallRates(perAddress: 60, perAccount: 15)
        let acme = UserKey(uid: "alice", tenant: "acme-x1")
        #expect(burst { rates.allow(user: acme, now: 1) } == 5)
        #expect(rates.allow(user: UserKey(uid: "alice", tenant: "globex-y2"), now: 1) == nil)
        #expect(rates.allow(user: "alice", now: 1) == nil)
    }
}
