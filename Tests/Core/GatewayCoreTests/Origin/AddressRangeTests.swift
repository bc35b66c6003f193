import HTTPWire
import NIOCore
import Testing

@testable import GatewayCore

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("0.0.0.0/0", "255.255.255.255", "::1"), ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
        ("::1", "::1", "::2"), ("::ffff:10.0.0.0/104", "10.1.2.3", "11.0.0.0"),
        ("172.16.0.0/12", "172.31.255.255", "172.32.0.0"), ("::/0", "2001:db8::1", "10.0.0.1"),
    ])
    func `a range contains its own addresses and no others`(range: String, inside: String, outside: String) throws {
        let proxies = TrustedProxies([try AddressRange(parsing: range)])
        #expect(proxies.contains(try #require(IPAddress(inside))))
        #expect(!proxies.contains(try #require(IPAddress(outside))))
    }

    @Test(arguments: [
        ("10.0.0.1/8", AddressRange.Failure.hostBits("10.0.0.0/8")), ("2001:db8::1/64", .hostBits("2001:db8::/64")),
        ("10.0.0.0/33", .badLength), ("10.0.0.0/", .badLength), ("10.0.0.0/-1", .badLength), ("::/129", .badLength),
        ("::ffff:10.0.0.0/8", .badLength), ("10.0.0/8", .notAnAddress), ("010.0.0.0/8", .notAnAddress),
        ("example.com", .notAnAddress), ("", .notAnAddress), ("fe80::1%eth0", .notAnAddress), ("/8", .notAnAddress),
        ("10.0.0.0/99999999999999999999", .badLength), ("10.0.0.0/08", .badLength),
    ]) func `an invalid range is rejected`(_ text: String, _ failure: AddressRange.Failure) {
        #expect(throws: failure) { try AddressRange(parsing: text) }
    }

    @Test func `overlapping networks are merged`() throws {
        let texts = ["10.0.0.0/8", "10.1.0.0/16", "192.0.2.0/25", "192.0.2.128/25", "10.255.0.0/16"]
        let proxies = TrustedProxies(try texts.map { try AddressRange(parsing: $0) })
        for inside in ["10.0.0.0", "10.1.0.1", "10.2.0.1", "10.255.255.255", "192.0.2.0", "192.0.2.127", "192.0.2.255"]
        {
            #expect(proxies.contains(try #require(IPAddress(inside))), "\(inside)")
        }
        for outside in ["9.255.255.255", "11.0.0.0", "192.0.1.255", "192.0.3.0"] {
            #expect(!proxies.contains(try #require(IPAddress(outside))), "\(outside)")
        }
    }

    @Test func `no address is trusted by default`() throws {
        let proxies = TrustedProxies()
        #expect(proxies.isEmpty && !proxies.includesUnix)
        for near in ["127.0.0.1", "10.0.0.1", "192.168.0.1", "::1", "fe80::1"] {
            #expect(!proxies.contains(try #require(IPAddress(near))))
        }
    }

    @Test(arguments: ["1.2.3.4", "2001:db8::1", "::1", "::", "1:2:3:4:5:6:7:8"])
    func `an address keeps its spelling`(text: String) {
        #expect(IPAddress(text).map { "\($0)" } == text)
    }
}

@Suite struct PeerNetworkTests {
    private func network(_ address: String) throws -> PeerNetwork {
        PeerNetwork(try SocketAddress(ipAddress: address, port: 1))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("192.0.2.1", "::192.0.2.1", false),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("0.0.0.0", "::", false),
    ]) func `only addresses of one network are equal`(_ one: String, _ other: String, _ isSame: Bool) throws {
        #expect(try (network(one) == network(other)) == isSame)
    }

    @Test func `a peer without an address has an unknown network`() throws {
        #expect(PeerNetwork(nil) == .unknown)
        #expect(PeerNetwork(try SocketAddress(unixDomainSocketPath: "/x")) == .unknown)
    }
}
