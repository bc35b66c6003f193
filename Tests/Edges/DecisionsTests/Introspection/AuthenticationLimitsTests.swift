import GatewayCore
import HTTPWire
import Testing

@testable import Decisions

/// Failed authentications delay further ones at their address, but not a service that runs with its secret there.
struct AuthenticationLimitsTests {
    private static let second: UInt64 = 1_000_000_000
    private static let day = 86_400 * second
    private static let start = 10 * day
    private static let billing = ClientCredential.Name.client("billing")

    private let limits = AuthenticationLimits()

    private func address(_ number: UInt32) -> PeerNetwork { .version4(number) }

    /// Fails until the client must wait at the address. Returns the number of failures.
    private func failures(
        of client: ClientCredential.Name, at number: UInt32, now: UInt64 = start, atMost limit: Int = 1_000
    ) -> Int {
        for count in 0..<limit {
            guard limits.wait(for: client, at: address(number), now: now) == nil else { return count }
            limits.recordFailure(of: client, at: address(number), now: now)
        }
        return limit
    }

    private func wait(_ client: ClientCredential.Name, _ number: UInt32, now: UInt64 = start) -> Int? {
        limits.wait(for: client, at: address(number), now: now)
    }

    @Test func `J-36: a client has 10 failures at an address, and one more every 6 seconds`() {
        #expect(failures(of: Self.billing, at: 1) == 10)
        #expect(wait(Self.billing, 1) == 6)
        #expect(failures(of: Self.billing, at: 1, now: Self.start + 6 * Self.second) == 1)
        #expect(failures(of: Self.billing, at: 1, now: Self.start + 66 * Self.second) == 10)
    }

    @Test func `J-36: an address has 30 failures of all clients`() {
        let total = (0..<20).reduce(0) { $0 + failures(of: .client("guess-\($1)"), at: 1, atMost: 7) }
        #expect(total == 30)
        #expect(wait(Self.billing, 1) == 2)
        #expect(wait(Self.billing, 2) == nil)
    }

    @Test func `J-36: failures at other addresses do not delay a service that starts`() {
        for number in UInt32(0)..<200 { #expect(failures(of: Self.billing, at: 100 + number) == 10) }
        #expect(wait(Self.billing, 1) == nil)
    }

    @Test func `Bearer tokens and unreadable fields have their own limits`() {
        for name in [ClientCredential.Name.bearer, .unreadable] { #expect(failures(of: name, at: 1) == 10) }
        #expect(failures(of: Self.billing, at: 1) == 10)
        #expect(wait(.client("bearer"), 2) == nil)
    }

    @Test func `J-36: a client that was authenticated at its address is never delayed there`() {
        limits.recordSuccess(of: Self.billing, at: address(1), now: Self.start)
        for number in 0..<5 { _ = failures(of: .client("guess-\(number)"), at: 1) }
        #expect(failures(of: Self.billing, at: 1, atMost: 100) == 100)
        #expect(wait(.client("shipping"), 1) != nil)
        // At another address, it is a client as any other.
        #expect(failures(of: Self.billing, at: 2) == 10)
    }

    @Test func `the exemption lasts a day from the last success`() {
        for day in UInt64(0)..<4 {
            limits.recordSuccess(of: Self.billing, at: address(1), now: Self.start + day * Self.day)
        }
        let end = Self.start + 4 * Self.day
        #expect(failures(of: Self.billing, at: 1, now: end, atMost: 20) == 20)
        #expect(wait(Self.billing, 1, now: end + 1) != nil)
    }

    @Test func `failures cannot evict the record of an authenticated client`() {
        limits.recordSuccess(of: Self.billing, at: address(1), now: Self.start)
        for number in UInt32(0)..<10_000 {
            limits.recordFailure(of: .client("guess-\(number)"), at: address(1_000 + number), now: Self.start)
        }
        for number in 0..<200 { _ = failures(of: .client("guess-\(number)"), at: 1, atMost: 10) }
        #expect(wait(Self.billing, 1) == nil)
    }

    @Test func `IPv6 addresses of one network share its limits`() throws {
        let first = try #require(network("2001:db8:0:1::1"))
        let second = try #require(network("2001:db8:0:1:ffff::2"))
        let other = try #require(network("2001:db8:0:2::1"))
        for _ in 0..<10 { limits.recordFailure(of: Self.billing, at: first, now: Self.start) }
        #expect(limits.wait(for: Self.billing, at: second, now: Self.start) != nil)
        #expect(limits.wait(for: Self.billing, at: other, now: Self.start) == nil)
    }

    private func network(_ text: String) -> PeerNetwork? {
        IPAddress(text).map { PeerAddress($0, isSecure: false, through: []).network }
    }
}
