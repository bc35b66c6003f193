import GatewayCore
import JOSE
import Synchronization
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import Forwarding
@testable import GatewayFixtures
@testable import SystemFixtures

@Suite struct AssertionSignerTests {
    private let key: SigningKey
    private let published: KeySet
    private let now = ManualClock.start

    init() throws {
        key = try SigningKey(pem: SigningKey.generate(.es256, keyID: "").pem(), algorithm: .es256)
        published = try KeySet(jwkSet: JWKSet.text(of: AssertionKeys(current: key, previous: []).published))
    }

    private func signer(_ lifetime: Int64 = 60, sign: AssertionSigner.Sign? = nil) -> AssertionSigner {
        AssertionSigner(
            key: key, field: "X-Auth-Assertion", issuer: "https://\"a\".example",
            audiences: ["api", "billing-service"],
            lifetime: lifetime, sign: sign)
    }

    /// The token of a line, verified with the published key.
    private func claims(_ line: [UInt8]?) throws -> JSONValue {
        let text = try #require(line.flatMap { String(validating: $0, as: UTF8.self) })
        #expect(text.hasPrefix("X-Auth-Assertion: ") && text.hasSuffix("\r\n"))
        let token = try UnverifiedJWS(String(text.dropFirst(18).dropLast(1)), maximumSize: 65_536)
        #expect(token.type == "gatehouse-assertion+jwt" && token.algorithmName == "ES256")
        let keyID = try #require(token.keyID)
        let publicKey = try #require(published.key(id: keyID))
        return try #require(token.verify(with: publicKey, algorithm: .es256)).payload.root
    }

    @Test func `an assertion has issuer, audience, subject and lifetime`() throws {
        let entry = try TokenDraft.idToken().entry()
        let claims = try claims(signer().line(for: entry, upstream: 1, now: now))
        #expect(claims["iss"]?.string == "https://\"a\".example" && claims["aud"]?.string == "billing-service")
        #expect(claims["sub"]?.string == "user-1")
        #expect(claims["iat"]?.integer == now && claims["exp"]?.integer == now + 60)
        #expect(claims["auth"]?.compact == entry.principal.variable)
        #expect(claims.members.map(\.name) == ["iss", "aud", "sub", "iat", "exp", "auth"])
    }

    @Test func `a tenant's user has the tenant in addition to the uid`() throws {
        let entry = try TokenDraft.idToken().with("firebase", #"{"tenant":"acme-x1"}"#).entry()
        let claims = try claims(signer().line(for: entry, upstream: 1, now: now))
        #expect(claims["sub"]?.string == "user-1" && claims["tenant"]?.string == "acme-x1")
        #expect(claims["auth"]?["token"]?["firebase"]?["tenant"]?.string == "acme-x1")
    }

    @Test func `a project's user has the project in addition to the uid`() throws {
        let principal = try TokenDraft.idToken().principal(isNamed: true)
        let entry = VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: 1,
            identity: IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: []).render(principal))
        let claims = try claims(signer().line(for: entry, upstream: 1, now: now))
        #expect(claims.members.map(\.name) == ["iss", "aud", "sub", "project", "iat", "exp", "auth"])
        #expect(claims["project"]?.string == TokenDraft.project)
    }

    @Test func `an assertion per token and upstream is used for half of its lifetime`() throws {
        let (first, second) = (try TokenDraft.idToken().entry(), try TokenDraft.idToken().entry())
        let count = Mutex(0)
        let key = key
        let counting = signer { input in
            count.withLock { $0 += 1 }
            return try? key.signature(over: input)
        }
        for time in [now, now + 1, now + 29] {
            for entry in [first, second] {
                for upstream in 0...1 { #expect(counting.line(for: entry, upstream: upstream, now: time) != nil) }
            }
        }
        #expect(count.withLock { $0 } == 4)
        let renewed = try claims(counting.line(for: first, upstream: 0, now: now + 30))
        #expect(renewed["iat"]?.integer == now + 30 && count.withLock { $0 } == 5)
    }

    @Test func `an assertion never outlives the token`() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(now + 7)").entry()
        #expect(try claims(signer().line(for: entry, upstream: 0, now: now))["exp"]?.integer == now + 7)
        let later = try claims(signer().line(for: entry, upstream: 0, now: now + 6))
        #expect(later["iat"]?.integer == now + 6 && later["exp"]?.integer == now + 7)
    }

    @Test func `the last second of a token needs one signature`() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(now + 1)").entry()
        let line = signer().line(for: entry, upstream: 0, now: now)
        #expect(line != nil && signer(sign: { _ in nil }).line(for: entry, upstream: 0, now: now) == line)
    }

    @Test func `a token without an expiry does not overflow`() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(Int64.max)").entry()
        #expect(try claims(signer().line(for: entry, upstream: 0, now: now))["exp"]?.integer == now + 60)
    }

    @Test(arguments: [nil, [], [UInt8](repeating: 0, count: 63)])
    func `a failed signature gives no assertion`(signature: [UInt8]?) throws {
        let entry = try TokenDraft.idToken().entry()
        #expect(signer(sign: { _ in signature }).line(for: entry, upstream: 0, now: now) == nil)
        #expect(entry.assertions.line(for: 0, now: now) == nil)
    }

    @Test(arguments: ["\"é\\u0000\"", "\"" + String(repeating: "x", count: 5_000) + "\"", "{\"a\":[1]}"])
    func `no line is longer than the reported maximum`(claim: String) throws {
        let entry = try TokenDraft.idToken().with("x", claim).entry()
        for upstream in 0...1 {
            let line = try #require(signer().line(for: entry, upstream: upstream, now: now))
            #expect(line.count <= signer().longestLine(of: entry.principal))
        }
    }

    @Test func `the key is published under its thumbprint with the previous ones`() throws {
        let others = try (0..<2).map { _ in
            try SigningKey(pem: SigningKey.generate(.es256, keyID: "").pem(), algorithm: .es256)
        }
        let set = try KeySet(jwkSet: JWKSet.text(of: AssertionKeys(current: key, previous: others + [key]).published))
        #expect(set.keys.map(\.keyID) == ([key] + others).map(\.keyID) && set.skipped.isEmpty)
        for key in set.keys { #expect(key.keyID == Base64URL.encode(key.thumbprint)) }
    }
}

/// The assertion among the forwarded fields.
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

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `the assertion follows the identity fields once`() throws {
        let head = try ForwardedHead(renderer: renderer, token: .idToken()).render(Self.request)
        let names = head.lines.map { String($0.prefix { $0 != ":" }) }
        let time = try #require(names.firstIndex(of: "X-Auth-Time"))
        #expect(names[time + 1] == "X-Auth-Assertion" && head.values("X-Auth-Assertion").count == 1)
        let later = ForwardedHead(
            renderer: renderer, token: .idToken(), signedInAt: UnixTime(clamping: ManualClock.start - 1))
        let updated = try later.render(Self.request)
        #expect(updated.value("X-Auth-Time") == "\(ManualClock.start - 1)" && updated.value("X-Auth-Assertion") != nil)
        #expect(try ForwardedHead(renderer: renderer).render(Self.request).values("X-Auth-Assertion").isEmpty)
    }

    @Test(arguments: ["X-Auth-Assertion", "x_auth_assertion", "X-AUTH.Assertion"], [true, false])
    func `A-21: an assertion of the client is removed`(name: String, isSignedIn: Bool) throws {
        let forged = "eyJhbGciOiJub25lIn0.e30."
        for renderer in [renderer, IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])] {
            let head = try ForwardedHead(renderer: renderer, token: isSignedIn ? .idToken() : nil)
                .render("GET / HTTP/1.1\r\nHost: a\r\n\(name): \(forged)\r\n\r\n")
            #expect(!head.head.contains(forged))
        }
    }

    @Test func `a request whose assertion cannot be signed is not rendered`() {
        let failing = AssertionSigner(
            key: TokenDraft.key, field: "X-Auth-Assertion", issuer: "g", audiences: ["api"], lifetime: 60
        ) { _ in nil }
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [], assertion: failing)
        #expect(throws: ForwardedHead.NotRendered.self) {
            try ForwardedHead(renderer: renderer, token: .idToken()).render(Self.request)
        }
    }

    @Test func `the limit of identity fields includes the assertion`() throws {
        // The claim is once in the variable and once in the assertion, each time in base64.
        let draft = TokenDraft.idToken().with("x", "\"\(String(repeating: "x", count: 6_000))\"")
        let plain = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        #expect(try !draft.entry(plain).identity.isTooLarge)
        #expect(try draft.entry(renderer).identity.isTooLarge)
    }

    @Test func `the cache cost includes the assertion`() throws {
        let plain = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        let difference = try TokenDraft.idToken().entry(renderer).cost - TokenDraft.idToken().entry(plain).cost
        let entry = try TokenDraft.idToken().entry()
        let line = try #require(signer.line(for: entry, upstream: 0, now: ManualClock.start))
        #expect(difference >= line.count && difference < line.count + 100)
    }
}
