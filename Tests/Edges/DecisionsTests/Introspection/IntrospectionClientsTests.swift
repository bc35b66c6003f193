import Foundation
import GatewayConfiguration
import GatewayCore
import HTTPWire
import Testing

@testable import Decisions

/// The authentication of services, and the names that their failures count for.
struct IntrospectionClientsTests {
    private static let secret = "a+b%secret-0123456789"
    private let clients = IntrospectionClients([
        .init(id: "billing", .secret(Secret(secret))), .init(id: "a+b", .secret(Secret("another-secret-0123456789"))),
    ])

    private func credential(_ fields: String...) throws -> ClientCredential? {
        let text = "POST /introspect HTTP/1.1\r\nHost: a\r\n\(fields.map { "Authorization: \($0)\r\n" }.joined())\r\n"
        let table = FieldTable(capacity: 64)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: table)
            return clients.credential(of: RequestView(head: head, bytes: bytes, fields: table))
        }
    }

    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private func basic(_ pair: String) throws -> ClientCredential {
        try #require(try credential("Basic \(base64(pair))"))
    }

    @Test(arguments: [
        "billing:a+b%secret-0123456789", "billing:a%2Bb%25secret-0123456789", "%62illing:a%2Bb%25secret-0123456789",
    ])
    func `a client is authenticated with or without form encoding`(_ pair: String) throws {
        #expect(clients.client(with: try basic(pair)) == "billing")
    }

    @Test func `a secret authenticates only its own client`() throws {
        #expect(clients.client(with: try basic("a+b:\(Self.secret)")) == nil)
        #expect(clients.client(with: try basic("billing:another-secret-0123456789")) == nil)
        #expect(clients.client(with: try basic("billing:")) == nil)
        let bearer = try #require(try credential("Bearer \(Self.secret)"))
        #expect(bearer.name == .bearer && clients.client(with: bearer) == "billing")
        #expect(clients.client(with: try #require(try credential("Bearer wrong"))) == nil)
    }

    @Test(arguments: [
        ("billing:x", "billing"), ("%62illing:x", "billing"), ("bill%69ng:x", "billing"), ("a+b:x", "a+b"),
        ("a%2Bb:x", "a+b"), ("unknown:x", "unknown"), ("%zz:x", "%zz"), (":x", ""),
    ])
    func `all spellings of an id have one name`(_ row: (pair: String, name: String)) throws {
        #expect(try basic(row.pair).name == .client(row.name))
    }

    @Test func `a field of another form is unreadable, and no field is no credential`() throws {
        for field in ["x", "Basic !", "Basic \(base64("nocolon"))", "Digest a"] {
            let credential = try #require(try credential(field))
            #expect(credential.name == .unreadable && clients.client(with: credential) == nil, "\(field)")
        }
        let twice = try #require(try credential("Bearer \(Self.secret)", "Bearer \(Self.secret)"))
        #expect(twice.name == .unreadable && clients.client(with: twice) == nil)
        #expect(try credential() == nil)
    }

    @Test func `the log has the id of a client only, and never a secret in its place`() throws {
        #expect(clients.loggedID(of: try basic("billing:x").name) == "billing")
        #expect(clients.loggedID(of: try basic("%62illing:x").name) == "billing")
        // A form decodes "+" and "%", and another service's secret is unknown here.
        for id in [Self.secret, "another-secret-0123456789", "x+y%41z", "unknown"] {
            #expect(clients.loggedID(of: try basic("\(id):").name) == "", "\(id)")
        }
        // U+212A is canonically equivalent to the letter K.
        let kelvin = IntrospectionClients([.init(id: "K", .secret(Secret(Self.secret)))])
        #expect(kelvin.loggedID(of: .client("\u{212A}")) == "" && kelvin.loggedID(of: .client("K")) == "K")
        #expect(clients.loggedID(of: .bearer) == "" && clients.loggedID(of: .unreadable) == "")
    }

    private func name(_ kind: CertificateName.Kind, _ text: String) throws -> CertificateName {
        try #require(CertificateName(kind, Array(text.utf8)))
    }

    @Test func `a certificate authenticates the only client with one of its names`() throws {
        let billing = try name(.dns, "Billing.example")
        let orders = try name(.uri, "spiffe://example/Orders")
        let clients = IntrospectionClients([
            .init(id: "billing", .certificate(billing)), .init(id: "orders", .certificate(orders)),
            .init(id: "secret", .secret(Secret(Self.secret))),
        ])
        #expect(clients.methods == ["client_secret_basic", "tls_client_auth"])
        #expect(
            clients.client(with: [try name(.dns, "other.example"), try name(.dns, "BILLING.example")]) == "billing")
        #expect(clients.client(with: [orders]) == "orders")
        // A URI is compared byte by byte, and a name of one kind is not one of the other.
        for other in [
            try name(.uri, "spiffe://example/orders"), try name(.uri, "billing.example"),
            try name(.dns, "spiffe://example/Orders"), try name(.dns, "*.example"), try name(.dns, "x.billing.example"),
            try name(.dns, "billing.example."),
        ] {
            #expect(clients.client(with: [other]) == nil, "\(other)")
        }
        #expect(clients.client(with: [CertificateName]()) == nil)
        #expect(clients.client(with: [billing, orders]) == nil)
        // A client with a certificate has no secret.
        for pair in ["billing:", "orders:\(Self.secret)"] { #expect(clients.client(with: try basic(pair)) == nil) }
        let certified = IntrospectionClients([.init(id: "a", .certificate(billing))])
        #expect(certified.methods == ["tls_client_auth"])
        // The challenge offers no way that no client has.
        #expect(clients.challenge.contains("secret") && clients.challenge.contains("certificate"))
        #expect(!certified.challenge.contains("secret") && !self.clients.challenge.contains("certificate"))
    }

    @Test(arguments: ["", " ", "a b", "\u{212A}", "a\u{0}.example", String(repeating: "a", count: 1_025)])
    func `a name has visible ASCII only`(_ text: String) {
        #expect(CertificateName(.dns, Array(text.utf8)) == nil && CertificateName(.uri, Array(text.utf8)) == nil)
    }
}
