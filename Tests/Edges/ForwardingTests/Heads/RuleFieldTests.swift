import Authentication
import Forwarding
import GatewayConfiguration
import GatewayCore
import SecurityRules
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import SystemFixtures

/// Fields whose values expressions give.
@Suite struct RuleFieldTests {
    /// The field's value, or nil where there is none, for a token with a claim.
    private func field(_ text: String, _ claim: String? = nil) throws -> String? {
        let place = SourceLocation(file: "gatehouse.yaml", line: 1, column: 1)
        let expression = try RuleValueExpression(Configuration.RulesExpression(text, location: place))
        let renderer = IdentityRenderer(
            prefix: "X-Auth-", sendsVariable: false,
            extra: [IdentityRenderer.Extra(name: "X-Field", source: .expression(expression))])
        let rendered = renderer.render(try TokenDraft.idToken().with("claim", claim).principal())
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
        ("{'a\"\\n': 1}", #"{"a\"\n":1}"#),
        ("token.firebase", #"{"identities":{},"sign_in_provider":"google.com"}"#),
    ])
    func aValueHasItsText(_ expression: String, _ value: String) throws {
        #expect(try field(expression) == value)
    }

    @Test(arguments: [
        "token.nowhere", "token.nowhere + 'a'", "token.claim", "1 / token.firebase.identities.size()", "1.0 / 0.0",
        "[b'a']", "{'a': 0.0 / 0.0}", "''",
    ])
    func whatHasNoTextHasNoField(_ expression: String) throws {
        #expect(try field(expression, "null") == nil)
    }

    @Test func aNumberThatRulesCannotReadHasNoField() throws {
        #expect(try field("token.claim + 0", "9223372036854775808") == nil)
        #expect(try field("[token.claim]", "9223372036854775808") == nil)
        #expect(try field("'claim' in token", "9223372036854775808") == "true")
    }

    @Test func a14AValueNeverLeavesItsLine() throws {
        #expect(try field("token.claim + 'b'", #""a\r\nX-Auth-Uid: root""#) == "a%0D%0AX-Auth-Uid:%20rootb")
    }

    @Test func aValueThatIsTooLongIsTooLargeAsAnyOther() throws {
        let place = SourceLocation(file: "gatehouse.yaml", line: 1, column: 1)
        let text = "[token, token, token, token, token, token, token, token]"
        let expression = try RuleValueExpression(Configuration.RulesExpression(text, location: place))
        let renderer = IdentityRenderer(
            prefix: "X-Auth-", sendsVariable: false,
            extra: [IdentityRenderer.Extra(name: "X-Field", source: .expression(expression))])
        let token = TokenDraft.idToken().with("claim", "\"\(String(repeating: "a", count: 4000))\"")
        #expect(renderer.render(try token.principal()).isTooLarge)
        #expect(!renderer.render(try TokenDraft.idToken().principal()).isTooLarge)
    }
}
