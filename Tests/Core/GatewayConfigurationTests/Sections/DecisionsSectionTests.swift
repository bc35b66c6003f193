import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration
@testable import GatewayCore

/// `decisions`, and the routes without an upstream that it permits.
@Suite struct DecisionsSectionTests {
    private static let routes = "routes: [{ path: /, auth: none }]\n"

    @Test func `the defaults are bounded and trust only the listed peers`() throws {
        let configuration = try ConfigurationTesting.load(
            "decisions: { address: 127.0.0.1:9000, trust: [127.0.0.1/32, unix] }\n" + Self.routes)
        let decisions = try #require(configuration.decisions)
        #expect(decisions.connections == 1_024 && decisions.responseSize == 4_096 && decisions.identity == .compact)
        #expect(decisions.trust.networks == ["127.0.0.1/32"] && decisions.trust.includesUnix)
        #expect(decisions.introspection == nil && configuration.routes[0].upstream == nil)
    }

    @Test func `introspection has clients with secrets`() throws {
        let configuration = try ConfigurationTesting.load(
            """
            decisions:
              address: 127.0.0.1:9000
              introspection: { clients: [{ id: a, secret: "0123456789abcdef" }], requests_per_second: 5 }
            \(Self.routes)
            """)
        let introspection = try #require(configuration.decisions?.introspection)
        #expect(introspection.clients.map(\.id) == ["a"] && introspection.requestsPerSecond == 5)
        #expect("\(introspection)".contains("0123456789abcdef") == false)
    }

    private static func certificate(_ client: String, authority: String = ", client_ca: a") -> String {
        "decisions: { address: 127.0.0.1:9000, tls: { certificate: c, private_key: k\(authority) }, "
            + "introspection: { clients: [\(client)] } }"
    }

    @Test func `a client has the name in its certificate in place of a secret`() throws {
        let clients = "{ id: a, certificate: { dns: A.example } }, { id: b, certificate: { uri: 'spiffe://e/B' } }"
        let configuration = try ConfigurationTesting.load(Self.certificate(clients) + "\n" + Self.routes)
        let introspection = try #require(configuration.decisions?.introspection)
        let names = introspection.clients.map { client in
            if case .certificate(let name) = client.credential { "\(name)" } else { "" }
        }
        #expect(names == ["dns:a.example", "uri:spiffe://e/B"])
    }

    @Test(arguments: [
        (certificate("{ id: a, certificate: { dns: a }, secret: 0123456789abcdef }"), "a secret and a certificate"),
        (certificate("{ id: a }"), "secret is missing"),
        (certificate("{ id: a, certificate: { dns: a, uri: 'a:b' } }"), "two names"),
        (certificate("{ id: a, certificate: {} }"), "certificate"),
        (certificate("{ id: a, certificate: { dns: '*.a' } }"), "not a name"),
        (certificate("{ id: a, certificate: { uri: 'a b' } }"), "not a name"),
        (certificate("{ id: a, certificate: { dns: a } }, { id: b, certificate: { dns: A } }"), "same id"),
        (certificate("{ id: a, certificate: { dns: a } }", authority: ""), "no client_ca"),
    ])
    func `an invalid certificate of a client is an error`(_ section: String, _ part: String) {
        let errors = ConfigurationTesting.errors(in: section + "\n" + Self.routes)
        #expect(errors.contains { $0.description.contains(part) }, "\(errors)")
    }

    @Test(arguments: [
        ("decisions: { address: 127.0.0.1:9000 }", "trusts no peer"),
        ("decisions: { trust: [127.0.0.1/32] }", "decisions.address is missing"),
        ("decisions: { address: 127.0.0.1:9000, trust: [{ network: 10.0.0.0/8, sets: Forwarded }] }", "sets"),
        ("decisions: { address: 127.0.0.1:8080, trust: [unix] }", "another listener has the same address"),
        ("decisions: { address: 127.0.0.1:9901, trust: [unix] }", "the admin listener has the same address"),
        ("decisions: { address: 127.0.0.1:9000, introspection: { clients: [] } }", "clients"),
        ("decisions: { address: 127.0.0.1:9000, introspection: { clients: [{ id: 'a:b', secret: x }] } }", "not an id"),
        (
            "decisions: { address: 127.0.0.1:9000, introspection: { clients: "
                + "[{ id: a, secret: '0123456789abcdef' }, { id: a, secret: '0123456789abcdeg' }] } }", "same id"
        ),
    ])
    func `an invalid section is an error`(_ section: String, _ part: String) {
        let errors = ConfigurationTesting.errors(in: section + "\n" + Self.routes)
        #expect(errors.contains { $0.description.contains(part) }, "\(errors)")
    }

    @Test(arguments: [("a%62", "ab", true), ("ab", "a%62", true), ("a%2Bb", "a+b", true), ("a%62", "%61b", false)])
    func `an id that is another one in the encoding of forms is an error at its line`(
        _ one: String, _ other: String, _ isError: Bool
    ) {
        let errors = ConfigurationTesting.errors(
            in: """
                decisions:
                  address: 127.0.0.1:9000
                  introspection:
                    clients:
                      - { id: '\(one)', secret: 0123456789abcdef }
                      - { id: '\(other)', secret: 0123456789abcdeg }
                routes: [{ path: /, auth: none }]

                """)
        #expect(errors.map(\.location.line) == (isError ? [6] : []), "\(errors)")
        #expect(errors.allSatisfy { $0.what.contains("'\(one)' and '\(other)'") }, "\(errors)")
    }

    @Test func `a route without an upstream has no settings of forwarding`() {
        let text = """
            decisions: { address: 127.0.0.1:9000, trust: [unix] }
            routes: [{ path: /, auth: none, strip_prefix: /a }]

            """
        let errors = ConfigurationTesting.errors(in: text)
        #expect(errors.contains { $0.description.contains("strip_prefix has no effect") }, "\(errors)")
    }

    @Test func `without the section, a route needs an upstream`() {
        let errors = ConfigurationTesting.errors(in: "upstreams: { a: { servers: ['http://a'] } }\n" + Self.routes)
        #expect(errors.contains { $0.description.contains("upstream is missing") }, "\(errors)")
    }
}
