import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import Forwarding
@testable import GatewayFixtures
@testable import SystemFixtures

/// The assertion among the fields that go upstream.
@Suite struct ForwardedAssertionTests {
    private let signer: AssertionSigner

    init() throws {
        let key = try SigningKey.generate(.es256, keyID: "k")
        signer = AssertionSigner(
            key: key, field: "X-Auth-Assertion", issuer: "gatehouse", audiences: ["api"], lifetime: 60)
    }

    private var renderer: IdentityRenderer {
        IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [], assertion: signer)
    }

    @Test func itFollowsTheIdentityFieldsOnce() throws {
        let head = try ForwardedHead(renderer: renderer, token: .idToken()).render("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let names = head.lines.map { String($0.prefix { $0 != ":" }) }
        let time = try #require(names.firstIndex(of: "X-Auth-Time"))
        #expect(names[time + 1] == "X-Auth-Assertion" && head.values("X-Auth-Assertion").count == 1)
    }

    @Test func itFollowsALaterSignInTimeToo() throws {
        let head = try ForwardedHead(
            renderer: renderer, token: .idToken(), signedInAt: UnixTime(clamping: ManualClock.start - 1)
        )
        .render("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.value("X-Auth-Time") == "\(ManualClock.start - 1)" && head.value("X-Auth-Assertion") != nil)
    }

    @Test func theAnonymousHaveNone() throws {
        let head = try ForwardedHead(renderer: renderer).render("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(head.values("X-Auth-Assertion").isEmpty)
    }

    @Test(arguments: ["X-Auth-Assertion", "x_auth_assertion", "X-AUTH.Assertion"], [true, false])
    func a21TheClientsOwnIsRemoved(_ name: String, _ isSignedIn: Bool) throws {
        let forged = "eyJhbGciOiJub25lIn0.e30."
        for renderer in [renderer, IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])] {
            let head = try ForwardedHead(renderer: renderer, token: isSignedIn ? .idToken() : nil)
                .render("GET / HTTP/1.1\r\nHost: a\r\n\(name): \(forged)\r\n\r\n")
            #expect(!head.head.contains(forged))
        }
    }

    @Test func aRequestWhoseAssertionCannotBeSignedIsNotRendered() {
        let failing = AssertionSigner(
            key: TokenDraft.key, field: "X-Auth-Assertion", issuer: "g", audiences: ["api"], lifetime: 60
        ) { _ in nil }
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [], assertion: failing)
        #expect(throws: ForwardedHead.NotRendered.self) {
            try ForwardedHead(renderer: renderer, token: .idToken()).render("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        }
    }

    @Test func theBoundOfIdentityFieldsIncludesIt() throws {
        // Once in the variable and once in the assertion, each in base64.
        let draft = TokenDraft.idToken().with("x", "\"\(String(repeating: "x", count: 6_000))\"")
        let plain = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        #expect(try !draft.entry(plain).identity.isTooLarge)
        #expect(try draft.entry(renderer).identity.isTooLarge)
    }

    @Test func theCacheCountsWhatMayBeSigned() throws {
        let plain = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        let difference = try TokenDraft.idToken().entry(renderer).cost - TokenDraft.idToken().entry(plain).cost
        let entry = try TokenDraft.idToken().entry()
        let line = try #require(signer.line(for: entry, upstream: 0, now: ManualClock.start))
        #expect(difference >= line.count && difference < line.count + 100)
    }
}
