import HTTPWire
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration
@testable import GatewayCore

/// The keys that say whom to believe and what to remove.
@Suite struct HostileTrafficKeyTests {
    static let cases: [BrokenConfiguration] =
        [
            .section("headers: { remove_inbound: [Host] }", "1:29 frames the message"),
            .section("headers: { remove_inbound: [Proxy-Authorization] }", "1:29 frames the message"),
            .section("headers: { remove_inbound: [Sec-WebSocket-Key] }", "1:29 frames the message"),
            .section("headers: { remove_inbound: [cookie] }", "1:29 the gateway or the service needs"),
            .section("headers: { remove_inbound: ['C*'] }", "1:29 would remove the field"),
            .section("headers: { remove_inbound: ['X-*'] }", "1:29 would remove the field"),
            .section("headers: { remove_inbound: ['*'] }", "1:29 no field name"),
            .section("headers: { remove_inbound: ['A*B'] }", "1:29 no field name"),
            .section("headers: { remove_inbound: [] }", "1:28 an empty list"),
            .section("limits: { connections_per_address: 0 }", "1:36 limits.connections_per_address"),
            .section("trusted_proxies: [{ network: 10.0.0.1 }]", "1:19 sets is missing"),
            .section("trusted_proxies: [{ sets: Forwarded }]", "1:19 network is missing"),
            .section("trusted_proxies: [{ network: x, sets: Forwarded }]", "1:30 no network and no address"),
            .section("trusted_proxies: [{ network: 10.0.0.1, sets: [] }]", "1:46 an empty list"),
            .section("trusted_proxies: [{ network: 10.0.0.1, sets: 'a b' }]", "1:46 no field that proxies set"),
            .section("trusted_proxies: [{ network: 10.0.0.1, sets: Host }]", "1:46 no field that proxies set"),
            .section(
                "trusted_proxies: [{ network: 10.0.0.1, sets: [Forwarded, X-Forwarded-For] }]",
                "1:46 two fields that name"),
            .section(
                "trusted_proxies: [{ network: unix, sets: X-A }, { network: unix, sets: X-B }]", "1:49 tells twice"),
        ]
        + spellings.map { first, second in
            .section(
                "trusted_proxies: [{ network: '\(first)', sets: X-A }, { network: '\(second)', sets: X-B }]",
                "1:\(47 + first.count) tells twice")
        }
        + ["Authorization", "cookie", "Content_Type", "X_Forwarded_For", "X-Forwarded-Host", "Sec-X", "User-Agent"].map
    {
        .section("trusted_proxies: [{ network: 10.0.0.1, sets: \($0) }]", "1:46 no field that proxies set")
    } + [
        .section(
            "trusted_proxies: [{ network: 10.0.0.1, sets: X-Forwarded-Proto }]", "1:46 no field that names the client")
    ]

    /// One network in two spellings.
    private static let spellings = [
        ("10.0.0.1", "10.0.0.1/32"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("2001:db8::/32", "2001:0DB8:0::/32"),
    ]

    @Test(arguments: cases) func isRefused(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func `names and beginnings are told apart`() throws {
        let headers = try ConfigurationTesting.load(
            section: "headers: { remove_inbound: [CF-*, X-Client-Cert, Remote-User] }"
        ).headers
        #expect(headers.removeInbound.names == ["X-Client-Cert", "Remote-User"])
        #expect(headers.removeInbound.prefixes == ["CF-"])
        for name in ["cf_ray", "Remote_User", "x.client.cert", "Proxy"] { #expect(headers.removes(name)) }
        for name in ["X-CF-Ray", "Remote-Users"] { #expect(!headers.removes(name)) }
    }

    @Test func `a proxy's fields are those of the smallest network that holds it`() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                trusted_proxies:
                  - { network: 10.0.0.0/8, sets: Forwarded }
                  - 10.1.0.0/16
                  - { network: 10.2.0.0/16, sets: [x-forwarded-for, X-Forwarded-Proto] }
                  - { network: "10.2.3.4", sets: CF-Connecting-IP }
                """)
        let proxies = TrustedProxies(configuration.trustedProxies)
        func fields(_ address: String) -> Configuration.ProxyFields? {
            let peer = PeerAddress(IPAddress(address), isSecure: false, through: [])
            let found = proxies.fields(setBy: peer)
            return configuration.trustedProxies.fields.map(\.fields).first { ProxyFields($0) == found }
        }
        #expect(fields("10.3.0.1")?.address == .forwarded)
        #expect(fields("10.2.0.1")?.address == .forwardedFor && fields("10.2.0.1")?.setsScheme == true)
        #expect(fields("10.2.3.4")?.address == .single("CF-Connecting-IP"))
        #expect(proxies.singleFields == ["CF-Connecting-IP"])
        // An entry without fields says nothing of them.
        #expect(fields("10.1.0.1")?.address == .forwarded)
    }
}
