import Authentication
import JOSE
import Synchronization
import Testing

@testable import CoreFixtures
@testable import Forwarding
@testable import GatewayFixtures

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

    @Test func itSaysWhoIsAskingWhomItIsForAndHowLongItCounts() throws {
        let entry = try TokenDraft.idToken().entry()
        let claims = try claims(signer().line(for: entry, upstream: 1, now: now))
        #expect(claims["iss"]?.string == "https://\"a\".example")
        #expect(claims["aud"]?.string == "billing-service")
        #expect(claims["sub"]?.string == "user-1")
        #expect(claims["iat"]?.integer == now && claims["exp"]?.integer == now + 60)
        #expect(claims["auth"]?.compact == entry.principal.variable)
        #expect(claims.members.map(\.name) == ["iss", "aud", "sub", "iat", "exp", "auth"])
    }

    @Test func `a tenant's user has the tenant beside the uid`() throws {
        let entry = try TokenDraft.idToken().with("firebase", #"{"tenant":"acme-x1"}"#).entry()
        let claims = try claims(signer().line(for: entry, upstream: 1, now: now))
        #expect(claims["sub"]?.string == "user-1" && claims["tenant"]?.string == "acme-x1")
        #expect(claims["auth"]?["token"]?["firebase"]?["tenant"]?.string == "acme-x1")
    }

    @Test func oneIsSignedPerTokenAndUpstreamAndUsedForHalfOfItsLife() throws {
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

    @Test func itNeverOutlivesTheToken() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(now + 7)").entry()
        #expect(try claims(signer().line(for: entry, upstream: 0, now: now))["exp"]?.integer == now + 7)
        let later = try claims(signer().line(for: entry, upstream: 0, now: now + 6))
        #expect(later["iat"]?.integer == now + 6 && later["exp"]?.integer == now + 7)
    }

    @Test func theTokensLastSecondIsSignedForOnce() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(now + 1)").entry()
        let line = signer().line(for: entry, upstream: 0, now: now)
        #expect(line != nil && signer(sign: { _ in nil }).line(for: entry, upstream: 0, now: now) == line)
    }

    @Test func aTokenWithoutAnEndIsNoReasonToOverflow() throws {
        let entry = try TokenDraft.idToken().with("exp", "\(Int64.max)").entry()
        #expect(try claims(signer().line(for: entry, upstream: 0, now: now))["exp"]?.integer == now + 60)
    }

    @Test(arguments: [nil, [], [UInt8](repeating: 0, count: 63)]) func aFailureToSignGivesNothing(_ signature: [UInt8]?)
        throws
    {
        let entry = try TokenDraft.idToken().entry()
        #expect(signer(sign: { _ in signature }).line(for: entry, upstream: 0, now: now) == nil)
        #expect(entry.assertions.line(for: 0, now: now) == nil)
    }

    @Test(arguments: ["\"é\\u0000\"", "\"" + String(repeating: "x", count: 5_000) + "\"", "{\"a\":[1]}"])
    func noLineIsLongerThanWasReckonedWith(_ claim: String) throws {
        let entry = try TokenDraft.idToken().with("x", claim).entry()
        for upstream in 0...1 {
            let line = try #require(signer().line(for: entry, upstream: upstream, now: now))
            #expect(line.count <= signer().longestLine(of: entry.principal))
        }
    }

    @Test func theKeyIsPublishedUnderItsThumbprintWithThePreviousOnes() throws {
        let others = try (0..<2).map { _ in
            try SigningKey(pem: SigningKey.generate(.es256, keyID: "").pem(), algorithm: .es256)
        }
        let set = try KeySet(jwkSet: JWKSet.text(of: AssertionKeys(current: key, previous: others + [key]).published))
        #expect(set.keys.map(\.keyID) == ([key] + others).map(\.keyID) && set.skipped.isEmpty)
        for key in set.keys { #expect(key.keyID == Base64URL.encode(key.thumbprint)) }
    }
}
