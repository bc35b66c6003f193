import Forwarding
import SecurityRules
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct RuleAuthTests {
    private func map(_ value: RuleValue?) throws -> RuleMap {
        guard case .map(let map)? = value else { throw TestFailure("no map") }
        return map
    }

    private func claim(_ json: String) throws -> RuleValue? {
        let auth = RuleAuth(try TokenDraft.idToken().with("claim", json).principal())
        return try map(try map(auth.value)["token"])["claim"]
    }

    @Test func `auth has the uid, the provider, the project and all claims`() throws {
        let auth = try map(RuleAuth(try TokenDraft.idToken().principal()).value)
        #expect(auth.count == 4)
        #expect(auth["project"]?.text == "'\(TokenDraft.project)'")
        #expect(auth["uid"]?.text == "'user-1'" && auth["provider"]?.text == "'google'")
        let token = try map(auth["token"])
        #expect(token["email_verified"]?.text == "true" && token["sub"]?.text == "'user-1'")
        #expect(token["firebase"]?.text == "{'identities': {}, 'sign_in_provider': 'google.com'}")
        #expect(token["auth_time"]?.text == "\(ManualClock.start - 100)")
    }

    @Test func `a missing provider is null`() throws {
        let auth = try map(RuleAuth(try TokenDraft.idToken().with("firebase", nil).principal()).value)
        #expect(auth["provider"]?.text == "null")
    }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"), ("1.0", "1.0"), ("1e2", "100.0"), ("-0.5", "-0.5"),
        ("1E308", "1e+308"), ("true", "true"), ("null", "null"), ("[]", "[]"), ("{}", "{}"),
        (#"[1, "a", null, [2.5]]"#, "[1, 'a', null, [2.5]]"),
        (#"{"b": 1, "a": {"c": []}}"#, "{'a': {'c': []}, 'b': 1}"),
        (#""a\u0000\u00e9""#, "'a\\u0000é'"), (#""""#, "''"),
        (#"{"\u00e9":1,"e\u0301":2}"#, "{'e\u{301}': 2, '\u{e9}': 1}"),
    ])
    func `claims become values`(_ json: String, _ text: String) throws {
        #expect(try claim(json)?.text == text)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "100000000000000000000000", "1e999", "-1e999", "1.5e400",
    ])
    func `a number out of range is unreadable`(_ json: String) throws {
        #expect(try claim(json)?.text == "<unreadable>")
        #expect(try claim("[\(json)]")?.text == "[<unreadable>]")
    }

    @Test(arguments: [("1", "integer"), ("1.0", "float"), ("1e0", "float")])
    func `a fraction or an exponent makes a float`(_ json: String, _ kind: String) throws {
        #expect("\(try #require(try claim(json)).kind)" == kind)
    }

    @Test func `a repeated name is rejected`() {
        #expect(throws: (any Error).self) { try claim(#"{"a":1,"a":2}"#) }
        #expect(throws: (any Error).self) { try claim(#"{"a":1,"\u0061":2}"#) }
    }

    // MARK: - Memory

    @Test func `its size is a part of the entry's cost`() throws {
        let principal = try TokenDraft.idToken().principal()
        let with = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [], keepsVariableForRules: true)
        let without = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        let entries = [with, without].map { renderer in
            VerifiedTokenCache.Entry(
                principal: principal, verifier: 0, keySetGeneration: 1, identity: renderer.render(principal))
        }
        #expect(entries[1].identity.auth == nil)
        #expect(entries[0].cost == entries[1].cost + RuleAuth(principal).size)
    }

    @Test(arguments: [
        "[" + Array(repeating: "1", count: 2000).joined(separator: ",") + "]",
        "[" + Array(repeating: "[]", count: 1000).joined(separator: ",") + "]",
        "{" + (0..<1000).map { "\"\($0)\":{}" }.joined(separator: ",") + "}",
        "\"" + String(repeating: "a", count: 8000) + "\"",
    ])
    func `its size grows with its claims`(_ json: String) throws {
        let small = RuleAuth(try TokenDraft.idToken().principal()).size
        let large = RuleAuth(try TokenDraft.idToken().with("claim", json).principal()).size
        #expect(large - small >= 8000)
    }
}
