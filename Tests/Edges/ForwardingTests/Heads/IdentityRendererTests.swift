import Authentication
import Forwarding
import Foundation
import GatewayConfiguration
import GatewayCore
import JOSE
import SecurityRules
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import SystemFixtures

@Suite struct IdentityRendererTests {
    private func lines(
        _ token: TokenDraft, extra: [IdentityRenderer.Extra] = [], variable: Bool = false, prefix: String = "X-Auth-"
    ) throws -> WireMessage {
        let renderer = IdentityRenderer(prefix: prefix, sendsVariable: variable, extra: extra)
        let rendered = renderer.render(try token.principal())
        return WireMessage(head: "start\r\n" + String(decoding: rendered.bytes, as: UTF8.self) + "\r\n")
    }

    private func role(_ json: String?, path: [String] = ["role"]) throws -> [String] {
        let extra = IdentityRenderer.Extra(name: "X-Role", source: .claim(path))
        return try lines(.idToken().with("role", json), extra: [extra]).values("X-Role")
    }

    @Test func `the single fields are rendered`() throws {
        let head = try lines(.idToken())
        #expect(
            head.lines == [
                "X-Auth-Uid: user-1", "X-Auth-Provider: google.com", "X-Auth-Email: a@example.com",
                "X-Auth-Email-Verified: true", "X-Auth-Time: \(ManualClock.start - 100)",
            ])
    }

    @Test func `a tenant's user has the tenant in addition to the uid`() throws {
        let token = TokenDraft.idToken().with("firebase", #"{"tenant":"acme-x1"}"#)
        #expect(try Array(lines(token).lines.prefix(2)) == ["X-Auth-Uid: user-1", "X-Auth-Tenant: acme-x1"])
        let own = IdentityRenderer.Extra(name: "x_auth_tenant", source: .claim(["firebase", "tenant"]))
        let head = try lines(token, extra: [own])
        #expect(head.values("X-Auth-Tenant") == [])
        #expect(head.values("x_auth_tenant") == ["acme-x1"])
    }

    @Test func `a project's user has project and tenant in addition to the uid`() throws {
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: [])
        let token = TokenDraft.idToken().with("firebase", #"{"tenant":"acme-x1"}"#)
        let rendered = renderer.render(try token.principal(isNamed: true))
        let head = WireMessage(head: "start\r\n" + String(decoding: rendered.bytes, as: UTF8.self) + "\r\n")
        #expect(
            Array(head.lines.prefix(3)) == [
                "X-Auth-Uid: user-1", "X-Auth-Project: \(TokenDraft.project)", "X-Auth-Tenant: acme-x1",
            ])
    }

    @Test func `the prefix names all fields`() throws {
        let head = try lines(.idToken(), variable: true, prefix: "X-User-")
        #expect(head.lines.allSatisfy { $0.hasPrefix("X-User-") || $0.hasPrefix("X-User:") })
    }

    @Test(arguments: ["\"true\"", "\"false\"", "1", "null", "[]", "false", nil])
    func `E-13: only the JSON value true is verified`(value: String?) throws {
        #expect(try lines(.idToken().with("email_verified", value)).values("X-Auth-Email-Verified") == ["false"])
    }

    @Test(arguments: [
        (#""a\r\nX-Auth-Uid: admin""#, "a%0D%0AX-Auth-Uid:%20admin"), (#""\u0000""#, "%00"), (#""é""#, "%C3%A9"),
        (#""100%""#, "100%25"), (#""a\rb""#, "a%0Db"), (#""~!\" \u007f""#, "~!\"%20%7F"),
        (#""\ud83d\ude00""#, "%F0%9F%98%80"),
    ])
    func `A-14: a value never leaves its line`(json: String, value: String) throws {
        #expect(try role(json) == [value])
        let head = try lines(.idToken().with("email", json))
        #expect(head.values("X-Auth-Email") == [value])
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        let uid = TokenDraft.idToken().with("sub", #""a bé%""#).with("user_id", nil)
        #expect(try lines(uid).values("X-Auth-Uid") == ["a%20b%C3%A9%25"])
    }

    @Test func `A-01: an empty claim has no field`() throws {
        #expect(try role(#""""#).isEmpty)
        let token = TokenDraft.idToken().with("email", #""""#).with("email_verified", "true")
            .with("firebase", #"{"sign_in_provider":""}"#)
        let empty = IdentityRenderer.Extra(name: "X-A", source: .claim(["email"]))
        let head = try lines(token, extra: [empty])
        #expect(head.lines == ["X-Auth-Uid: user-1", "X-Auth-Time: \(ManualClock.start - 100)"])
    }

    @Test(arguments: [
        (#""admin""#, ["admin"]), ("7", ["7"]), ("1.50", ["1.50"]), ("true", ["true"]), ("null", []), (nil, []),
        (#"["a", "b c"]"#, [#"["a","b%20c"]"#]), (#"{"a": 1}"#, [#"{"a":1}"#]),
    ])
    func `E-18: a claim is its text or its JSON`(json: String?, values: [String]) throws {
        #expect(try role(json) == values)
        #expect(try role(json, path: ["role", "0"]).isEmpty, "a path through a non-object finds nothing")
    }

    @Test func `E-18: a name with a dot is one name`() throws {
        let token = TokenDraft.idToken().with("https://x.y/roles", "\"a\"").with("https://x", #"{"y/roles":"b"}"#)
        let dotted = IdentityRenderer.Extra(name: "X-One", source: .claim(["https://x.y/roles"]))
        let nested = IdentityRenderer.Extra(name: "X-Two", source: .claim(["https://x", "y/roles"]))
        let head = try lines(token, extra: [dotted, nested])
        #expect(head.values("X-One") == ["a"])
        #expect(head.values("X-Two") == ["b"])
    }

    @Test func `uid and provider may have extra fields`() throws {
        let extra = [
            IdentityRenderer.Extra(name: "X-A", source: .uid), IdentityRenderer.Extra(name: "X-B", source: .provider),
        ]
        let head = try lines(.idToken(), extra: extra)
        #expect(head.values("X-A") == ["user-1"])
        #expect(head.values("X-B") == ["google"])
    }

    @Test func `the variable contains all claims`() throws {
        let token = TokenDraft.idToken().with("big", "12345678901234567890").with("text", #""é\"\n""#)
        let value = try #require(try lines(token, variable: true).value("X-Auth"))
        let json = try #require(Base64URL.decode(value))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        #expect(object["uid"] as? String == "user-1")
        #expect(object["provider"] as? String == "google")
        let claims = try #require(object["token"] as? [String: Any])
        #expect(claims["text"] as? String == "é\"\n")
        #expect(claims["sub"] as? String == "user-1")
        #expect(String(decoding: json, as: UTF8.self).contains("\"big\":12345678901234567890"))
        #expect(!value.contains("="))
    }

    @Test(arguments: [
        ("google.com", "google"), ("facebook.com", "facebook"), ("github.com", "github"), ("twitter.com", "twitter"),
        ("password", "password"), ("anonymous", "anonymous"), ("custom", "custom"), ("apple.com", "apple.com"),
    ])
    func `the short name of a provider is the documented one`(id: String, name: String) throws {
        let token = TokenDraft.idToken().with("firebase", "{\"sign_in_provider\":\"\(id)\"}")
        #expect(try token.principal().provider == name)
        #expect(try lines(token).values("X-Auth-Provider") == [id])
    }

    @Test func `a token without a provider has no provider field`() throws {
        let token = TokenDraft.idToken().with("firebase", nil)
        #expect(try lines(token).values("X-Auth-Provider").isEmpty)
        let json = try token.principal().variable
        #expect(String(decoding: json, as: UTF8.self).hasPrefix(#"{"uid":"user-1","provider":null,"token":{"#))
    }

    @Test func `A-14: lines larger than 16 KiB are too large`() throws {
        let many = (0..<20).map { IdentityRenderer.Extra(name: "X-\($0)", source: .claim(["email"])) }
        let principal = try TokenDraft.idToken().with("email", "\"\(String(repeating: "a", count: 1000))\"").principal()
        let few = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        #expect(!few.render(principal).isTooLarge)
        #expect(IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: many).render(principal).isTooLarge)
    }
}

/// Fields with the value of an expression.
@Suite struct RuleFieldTests {
    private func renderer(_ text: String) throws -> IdentityRenderer {
        let location = SourceLocation(file: "gatehouse.yaml", line: 1, column: 1)
        let expression = try RuleValueExpression(Configuration.RulesExpression(text, location: location))
        return IdentityRenderer(
            prefix: "X-Auth-", sendsVariable: false,
            extra: [IdentityRenderer.Extra(name: "X-Field", source: .expression(expression))])
    }

    /// The value of the field for a token with a claim. `nil` without the field.
    private func field(_ text: String, _ claim: String? = nil) throws -> String? {
        let rendered = try renderer(text).render(try TokenDraft.idToken().with("claim", claim).principal())
        #expect(rendered.auth == nil)
        let head = WireMessage(head: "start\r\n" + String(decoding: rendered.bytes, as: UTF8.self) + "\r\n")
        return head.value("X-Field")
    }

    @Test(arguments: [
        ("uid", "user-1"), ("provider", "google"), ("auth.uid + '!'", "user-1!"), ("token.email_verified", "true"),
        ("1 + 1", "2"), ("1.0 / 4.0", "0.25"), ("2.0", "2.0"), ("!token.email_verified", "false"),
        ("timestamp.value(0)", "1970-01-01T00:00:00Z"), ("[1, 'a b', true, null, 1.5]", #"[1,"a%20b",true,null,1.5]"#),
        ("['b', 'a', 'b'].toSet()", #"["b","a"]"#),
        ("{'b': [], 'a': {'c': timestamp.value(0)}}", #"{"a":{"c":"1970-01-01T00:00:00Z"},"b":[]}"#),
        ("{'a\"\\n': 1}", #"{"a\"\n":1}"#), ("token.firebase", #"{"identities":{},"sign_in_provider":"google.com"}"#),
    ])
    func `a value has its text`(expression: String, value: String) throws {
        #expect(try field(expression) == value)
    }

    @Test(arguments: [
        "token.nowhere", "token.nowhere + 'a'", "token.claim", "1 / token.firebase.identities.size()", "1.0 / 0.0",
        "[b'a']", "{'a': 0.0 / 0.0}", "''",
    ])
    func `a value without a text has no field`(expression: String) throws {
        #expect(try field(expression, "null") == nil)
    }

    @Test func `a number that rules cannot read has no field`() throws {
        #expect(try field("token.claim + 0", "9223372036854775808") == nil)
        #expect(try field("[token.claim]", "9223372036854775808") == nil)
        #expect(try field("'claim' in token", "9223372036854775808") == "true")
    }

    @Test func `A-14: a value never leaves its line`() throws {
        #expect(try field("token.claim + 'b'", #""a\r\nX-Auth-Uid: root""#) == "a%0D%0AX-Auth-Uid:%20rootb")
    }

    @Test func `a long value is too large`() throws {
        let renderer = try renderer("[token, token, token, token, token, token, token, token]")
        let token = TokenDraft.idToken().with("claim", "\"\(String(repeating: "a", count: 4000))\"")
        #expect(renderer.render(try token.principal()).isTooLarge)
        #expect(!renderer.render(try TokenDraft.idToken().principal()).isTooLarge)
    }
}
