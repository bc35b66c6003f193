import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

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
        .section("listen: [{ address: a:1, proxy_protocol: 2 }]", "1:42 listen[].proxy_protocol is"),
        .section(
            "listen: [{ address: 'unix:run/x' }]", "1:21 listen[].address is a unix: address without an absolute path"),
        .section(
            "listen: [{ address: 'unix:/run/' }]", "1:21 listen[].address is a unix: address without an absolute path"),
        .section(
            "listen: [{ address: 'unix:/\(String(repeating: "x", count: 103))' }]",
            "1:21 listen[].address is a unix: address with a path of more than 103 bytes"),
        .section(
            "listen: [{ address: 'unix:/a' }, { address: 'unix:/a' }]", "1:45 an address that another listener has"),
        .section("admin: { address: 'unix:/run/gh' }", "1:19 admin.address is a unix: address; write HOST:PORT"),
        .section("trusted_proxies: 10.0.0.0/8", "1:18 trusted_proxies is not a list"),
        .section(
            "trusted_proxies: [10.0.0.1/8]",
            "1:19 trusted_proxies[] is '10.0.0.1/8', an address within a network; write 10.0.0.0/8"),
        .section(
            "trusted_proxies: [proxy.internal]", "1:19 trusted_proxies[] is 'proxy.internal', no network and no address"
        ),
        .section(
            "trusted_proxies: [10.0.0.0/40]", "1:19 trusted_proxies[] is '10.0.0.0/40', with a prefix that is none"),
        .section("limits: { handshake_timeout: 0s }", "1:30 limits.handshake_timeout"),
    ]

    @Test(arguments: cases) func isRefusedWithLineAndColumn(_ broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func aListenerMaySpeakTLSBehindALoadBalancer() throws {
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
        #expect(second.tls == nil && second.address.path == "/run/gatehouse.sock" && second.address.isLoopback)
        #expect(configuration.trustedProxies.networks == ["10.0.0.0/8", "2001:db8::/32"])
        #expect(configuration.trustedProxies.includesUnix && configuration.warnings.isEmpty)
    }

    @Test(arguments: [
        ("listen: [{ address: '0.0.0.0:1', proxy_protocol: true }]", "proxy_protocol believes everybody"),
        ("trusted_proxies: ['0.0.0.0/0']", "trusts every address"),
    ]) func beliefInEverybodyIsWarnedOf(_ section: String, _ what: String) throws {
        let warnings = try ConfigurationTesting.load(section: section).warnings
        #expect(warnings.count == 1 && warnings[0].what.contains(what), "\(warnings)")
    }

    @Test(arguments: [
        "listen: [{ address: '127.0.0.1:1', proxy_protocol: true }]",
        "listen: [{ address: 'unix:/a', proxy_protocol: true }]",
        "listen: [{ address: '0.0.0.0:1', proxy_protocol: true }]\ntrusted_proxies: [10.0.0.0/8]",
    ]) func beliefInNeighboursIsNot(_ section: String) throws {
        #expect(try ConfigurationTesting.load(section: section).warnings.isEmpty)
    }
}
