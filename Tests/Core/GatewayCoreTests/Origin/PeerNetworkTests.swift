import GatewayCore
import NIOCore
import Testing

@Suite struct PeerNetworkTests {
    private func network(_ address: String) throws -> PeerNetwork {
        PeerNetwork(try SocketAddress(ipAddress: address, port: 1))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1", "::ffff:192.0.2.1"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"),
    ]) func isTheSame(_ one: String, _ other: String) throws {
        #expect(try network(one) == network(other))
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.2"), ("2001:db8:1:2::1", "2001:db8:1:3::1"), ("192.0.2.1", "::192.0.2.1"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2"), ("0.0.0.0", "::"),
    ]) func isAnother(_ one: String, _ other: String) throws {
        #expect(try network(one) != network(other))
    }

    @Test func mayNotBeKnown() throws {
        #expect(PeerNetwork(nil) == .unknown)
        #expect(PeerNetwork(try SocketAddress(unixDomainSocketPath: "/x")) == .unknown)
    }
}
