import HTTPWire
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration
@testable import GatewayCore

@Suite struct BrokenListenerTests {
    private static func tls(_ keys: String, _ expected: String...) -> BrokenConfiguration {
        BrokenConfiguration(
            yaml: "listen:\n  - address: a:1\n    tls: { \(keys) }\n" + BrokenConfiguration.rest, expected: expected)
    }

    static let cases: [BrokenConfiguration] = [
        tls("certificate: a.pem", "3:10 listen[].tls.private_key is missing"),
        tls("private_key: a.key", "3:10 listen[].tls.certificate is missing"),
        tls("", "3:10 listen[].tls is an empty mapping"),
        tls("certificate: a, private_key: b, cert: c", "3:44 unknown key 'cert' in listen[].tls"),
        tls("certificate: a, private_key: b, minimum_version: '1.1'", "3:61 listen[].tls.minimum_version cannot be"),
        tls(
            "certificate: a, private_key: b, client_certificates: optional",
            "3:44 listen[].tls.client_certificates without client_ca"),
        tls(
            "certificate: a, private_key: b, client_ca: c, client_certificates: maybe",
            "3:79 listen[].tls.client_certificates cannot be"),
        tls(
            "certificate: a, private_key: b, certificates: [{ certificate: c }]",
            "3:59 listen[].tls.certificates[].private_key is missing"),
        .section("listen: [{ address: a:1, protocols: [h2, http/1.1] }]", "1:37 listen[].protocols has h2 without tls"),
        .section("listen: [{ address: a:1, protocols: [h2c] }]", "1:37 listen[].protocols has no http/1.1"),
        .section("listen: [{ address: a:1, protocols: [spdy] }]", "1:38 listen[].protocols[] cannot be"),
        .section("limits: { http2: { streams: 0 } }", "1:29 limits.http2.streams"),
        .section("limits: { http2: { ping_interval: 1ms } }", "1:35 limits.http2.ping_interval"),
        .section("limits: { http2: { ping_timeout: 2h } }", "1:34 limits.http2.ping_timeout"),
        .section("listen: [{ address: a:1, proxy_protocol: 2 }]", "1:42 listen[].proxy_protocol is"),
        .section(
            "listen: [{ address: '…' }]", "1:21 listen[].address is a unix: address without an absolute path",
            values: ["unix:run/x", "unix:/run/"]),
        .section(
            "listen: [{ address: 'unix:/\(String(repeating: "x", count: 103))' }]",
            "1:21 listen[].address is a unix: address with a path of more than 103 bytes"),
        .section(
            "listen: [{ address: 'unix:/a' }, { address: 'unix:/a' }]", "1:45 the address of another listener"),
        .section("admin: { address: 'unix:/run/gh' }", "1:19 admin.address is a unix: address; write HOST:PORT"),
        .section("trusted_proxies: 10.0.0.0/8", "1:18 trusted_proxies is not a list"),
        .section(
            "trusted_proxies: [10.0.0.1/8]",
            "1:19 trusted_proxies[] is '10.0.0.1/8', an address with host bits; write 10.0.0.0/8"),
        .section(
            "trusted_proxies: [proxy.internal]",
            "1:19 trusted_proxies[] is 'proxy.internal', neither a network nor an address"
        ),
        .section(
            "trusted_proxies: [10.0.0.0/40]", "1:19 trusted_proxies[] is '10.0.0.0/40', with an invalid prefix length"),
        .section("limits: { handshake_timeout: 0s }", "1:30 limits.handshake_timeout"),
    ]

    @Test(arguments: cases)
    func `each error in a listener is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test func `a listener may speak TLS behind a load balancer`() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                listen:
                  - address: 0.0.0.0:8443
                    proxy_protocol: true
                    tls:
                      certificate: a.pem
                      private_key: a.key
                      certificates: [{ certificate: b.pem, private_key: b.key }]
                      client_ca: ca.pem
                      client_certificates: optional
                      minimum_version: "1.3"
                  - address: unix:/run/gatehouse.sock
                trusted_proxies: [10.0.0.0/8, "2001:db8::/32", unix]
                """)
        let (first, second) = (configuration.listen[0], configuration.listen[1])
        #expect(first.tls?.identities.map(\.certificate) == ["a.pem", "b.pem"])
        #expect(first.tls?.clientCA == "ca.pem" && first.tls?.clientCertificates == .optional)
        #expect(first.tls?.minimumVersion == .version13 && first.proxyProtocol)
        #expect(first.protocols == [.http1, .http2] && second.protocols == [.http1])
        #expect(second.tls == nil && second.address.path == "/run/gatehouse.sock" && second.address.isLoopback)
        #expect(configuration.trustedProxies.networks == ["10.0.0.0/8", "2001:db8::/32"])
        #expect(configuration.trustedProxies.includesUnix && configuration.warnings.isEmpty)
    }

    @Test(
        arguments: [
            (
                "listen: [{ address: '0.0.0.0:1', proxy_protocol: true }]",
                "proxy_protocol trusts every peer that can connect to"
            ),
            ("trusted_proxies: ['0.0.0.0/0']", "trusts every address"),
            ("listen: [{ address: '127.0.0.1:1', proxy_protocol: true }]", nil),
            ("listen: [{ address: 'unix:/a', proxy_protocol: true }]", nil),
            ("listen: [{ address: '0.0.0.0:1', proxy_protocol: true }]\ntrusted_proxies: [10.0.0.0/8]", nil),
        ] as [(String, String?)])
    func `only a setting that trusts every client produces a warning`(section: String, what: String?) throws {
        let warnings = try ConfigurationTesting.load(section: section).warnings
        #expect(warnings.count == (what == nil ? 0 : 1), "\(warnings)")
        if let what { #expect(warnings.first?.what.contains(what) == true) }
    }
}

/// The keys for trusted proxies and removed fields.
@Suite struct HostileTrafficKeyTests {
    private static func proxy(_ fields: String, _ expected: String, values: [String] = []) -> BrokenConfiguration {
        .section("trusted_proxies: [{ network: 10.0.0.1, sets: \(fields) }]", expected, values: values)
    }

    private static func remove(_ problem: String, _ values: String...) -> BrokenConfiguration {
        .section("headers: { remove_inbound: […] }", "1:29 \(problem)", values: values)
    }

    static let cases: [BrokenConfiguration] =
        [
            remove("frames the message", "Host", "Proxy-Authorization", "Sec-WebSocket-Key"),
            remove("is required by the gateway or the service", "cookie"),
            remove("would remove the field", "'C*'", "'X-*'"),
            remove("is neither a field name nor a prefix of one", "'*'", "'A*B'"),
            .section("headers: { remove_inbound: [] }", "1:28 an empty list"),
            .section("limits: { connections_per_address: 0 }", "1:36 limits.connections_per_address"),
            .section("trusted_proxies: [{ network: 10.0.0.1 }]", "1:19 sets is missing"),
            .section("trusted_proxies: [{ sets: Forwarded }]", "1:19 network is missing"),
            .section("trusted_proxies: [{ network: x, sets: Forwarded }]", "1:30 neither a network nor an address"),
            proxy("[]", "1:46 an empty list"),
            proxy("[Forwarded, X-Forwarded-For]", "1:46 two fields with the client address; keep the one"),
            proxy(
                "…", "1:46 not a field that proxies set; write a name as in X-Forwarded-For",
                values: [
                    "'a b'", "Host", "Authorization", "cookie", "Content_Type", "X_Forwarded_For", "X-Forwarded-Host",
                    "Sec-X", "User-Agent",
                ]),
            proxy("X-Forwarded-Proto", "1:46 has no field with the client address; add the one"),
        ]
        + spellings.map { first, second in
            .section(
                "trusted_proxies: [{ network: '\(first)', sets: X-A }, { network: '\(second)', sets: X-B }]",
                "1:\(47 + first.count) trusted_proxies lists the fields of '\(second)' twice; remove one of them")
        }

    /// The same network in two spellings.
    private static let spellings = [
        ("unix", "unix"), ("10.0.0.1", "10.0.0.1/32"), ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("2001:db8::/32", "2001:0DB8:0::/32"),
    ]

    @Test(arguments: cases)
    func `each invalid key is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test func `names and prefixes are distinguished`() throws {
        let headers = try ConfigurationTesting.load(
            section: "headers: { remove_inbound: [CF-*, X-Client-Cert, Remote-User] }"
        ).headers
        #expect(headers.removeInbound.names == ["X-Client-Cert", "Remote-User"])
        #expect(headers.removeInbound.prefixes == ["CF-"])
        for name in ["cf_ray", "Remote_User", "x.client.cert", "Proxy"] { #expect(headers.removes(name)) }
        for name in ["X-CF-Ray", "Remote-Users"] { #expect(!headers.removes(name)) }
    }

    @Test func `a proxy has the fields of the smallest network that contains it`() throws {
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
        // An entry without fields determines no fields.
        #expect(fields("10.1.0.1")?.address == .forwarded)
    }
}
