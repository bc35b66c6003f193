import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct AuthenticatorTests {
    private let authenticator: Authenticator
    private let counters = WorkerCounters(routes: 1, upstreams: 1)

    init() throws {
        authenticator = Authenticator(
            verifiers: VerifierTable([
                .firebase(TokenDraft.verifier()), .firebase(TokenDraft.verifier(.sessionCookie)),
            ]), keySets: 1, hasher: try SHA256Hasher.required(), counters: counters, render: { _ in .empty })
    }

    private func install(
        _ keys: KeySet? = TokenDraft.keys, generation: UInt64 = 1, succeeded: Bool = true, fetching: Bool = false,
        completed: UInt64 = 1, usableUntil: UInt64 = 1000, cooldownUntil: UInt64 = .max
    ) {
        authenticator.install(
            KeySetView(
                keys: keys, generation: generation, isLoaded: true, lastFetchSucceeded: succeeded, isFetching: fetching,
                completedFetches: completed, usableUntil: usableUntil, cooldownUntil: cooldownUntil,
                nextFetchAt: .max / 2),
            set: 0)
    }

    private func outcome(
        _ token: String, _ kind: CredentialKind = .idToken, now: Int64 = ManualClock.start, monotonic: UInt64 = 0,
        waitingSince: UInt64? = nil
    ) -> String {
        let outcome = Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate($0, kind: kind, now: now, monotonic: monotonic, waitingSince: waitingSince)
        }
        return words(outcome)
    }

    private func words(_ outcome: Authenticator.Outcome) -> String {
        switch outcome {
        case .verified(let entry): "verified \(entry.principal.uid)"
        case .refused(let failure): "refused \(failure.code.wire)"
        case .unavailable: "unavailable"
        case .awaitKeys(let set, let completed): "awaits \(set) \(completed)"
        case .awaitOwner: "awaits its owner"
        }
    }

    private var hits: UInt64 { counters.snapshot()[.tokenCacheHits] }
    private var misses: UInt64 { counters.snapshot()[.tokenCacheMisses] }

    @Test func `a token is verified once and then cached`() {
        install()
        let token = TokenDraft.idToken().signed()
        #expect(outcome(token) == "verified user-1")
        #expect((hits, misses) == (0, 1))
        #expect(outcome(token) == "verified user-1")
        #expect((hits, misses) == (1, 1))
        #expect(authenticator.cache.count == 1)
    }

    /// A hint that another token overwrote is written again.
    @Test func `the entry of a verified token is hinted at`() throws {
        install()
        let token = Array(TokenDraft.idToken().signed().utf8)
        let other = VerifiedTokenCache.Entry(
            principal: try TokenDraft.idToken().principal(), verifier: 0, keySetGeneration: 1, identity: .empty)
        let key = try #require(try SHA256Hasher.required().hash(token))
        try token.withUnsafeBytes { bytes in
            #expect(authenticator.prefetcher.address(of: bytes) == 0)
            for _ in 0..<2 {
                _ = authenticator.authenticate(
                    bytes, kind: .idToken, now: ManualClock.start, monotonic: 0, waitingSince: nil)
                let entry = try #require(authenticator.cache.find(key))
                let address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
                #expect(authenticator.prefetcher.address(of: bytes) == address)
                authenticator.prefetcher.record(other, of: bytes, in: (0, 0))
                #expect(authenticator.prefetcher.address(of: bytes) != address)
            }
        }
    }

    @Test func `G-05: the cache has a digest and not the token`() throws {
        install()
        let token = TokenDraft.idToken().signed()
        #expect(outcome(token) == "verified user-1")
        let signature = try #require(token.split(separator: ".").last)
        let decoded = try #require(Base64URL.decode(String(signature)))
        var held = HeldBytes()
        held.collect(authenticator.cache)
        #expect(held.contains(Array("user-1".utf8)), "the dump contains the claims and would contain the signature")
        for secret in [Array(signature.utf8), decoded] { #expect(!held.contains(secret)) }
    }

    @Test func `a cached token still expires`() {
        install()
        let token = TokenDraft.idToken().signed()
        _ = outcome(token)
        #expect(outcome(token, now: ManualClock.start + 3499) == "verified user-1")
        #expect(outcome(token, now: ManualClock.start + 3500) == "refused auth/id-token-expired")
        #expect(authenticator.cache.count == 0)
        #expect(outcome(token, now: ManualClock.start + 3500) == "refused auth/id-token-expired")
    }

    @Test func `refused tokens are not cached`() {
        install()
        #expect(outcome(TokenDraft.idToken().signed(by: TokenDraft.forgedKey)) == "refused auth/invalid-id-token")
        #expect(outcome("garbage") == "refused auth/argument-error")
        #expect(authenticator.cache.count == 0)
    }

    @Test func `F-11: a removed key is removed for cached tokens, too`() {
        install()
        let token = TokenDraft.idToken().signed()
        _ = outcome(token)
        install(TokenDraft.keySet([TokenDraft.secondKey]), generation: 2)
        #expect(outcome(token) == "refused auth/invalid-id-token")
    }

    @Test func `a new generation with the key verifies again`() {
        install()
        let token = TokenDraft.idToken().signed()
        _ = outcome(token)
        install(generation: 2)
        #expect(outcome(token) == "verified user-1")
        #expect((hits, misses) == (0, 2))
        #expect(authenticator.cache.count == 1)
        #expect(outcome(token) == "verified user-1")
        #expect(hits == 1)
    }

    @Test func `F-07: keys beyond their lifetime verify nothing`() {
        install(usableUntil: 1000, cooldownUntil: 0)
        let token = TokenDraft.idToken().signed()
        #expect(outcome(token, monotonic: 999) == "verified user-1")
        #expect(outcome(token, monotonic: 1000) == "awaits 0 1")
    }

    @Test(arguments: [(true, "refused auth/invalid-id-token"), (false, "unavailable")])
    func `F-07: an unknown key is rejected, and 503 while the source is down`(isUp: Bool, expected: String) {
        install(succeeded: isUp)
        #expect(outcome(TokenDraft.idToken().withHeader("kid", "\"x\"").signed()) == expected)
    }

    @Test func `F-06: a token waits once for an unknown key`() {
        install(cooldownUntil: 0)
        let token = TokenDraft.idToken().withHeader("kid", "\"x\"").signed()
        #expect(outcome(token) == "awaits 0 1")
        install(completed: 2, cooldownUntil: 0)
        #expect(outcome(token, waitingSince: 1) == "refused auth/invalid-id-token")
    }

    @Test func `without keys a token waits, unless it is rejected before its signature`() {
        #expect(outcome(TokenDraft.idToken().signed()) == "awaits 0 0")
        #expect(outcome(TokenDraft.idToken().with("aud", "\"other\"").signed()) == "refused auth/invalid-id-token")
    }

    @Test func `G-14: a cached ID token is not accepted as a cookie`() {
        install()
        let token = TokenDraft.idToken().signed()
        #expect(outcome(token) == "verified user-1")
        #expect(outcome(token, .sessionCookie) == "refused auth/invalid-session-cookie")
        #expect(outcome(token) == "verified user-1")
    }

    @Test func `D-09: a token above the size limit is not read`() {
        install()
        #expect(outcome(String(repeating: ".", count: 60_000)) == "refused auth/argument-error")
        #expect(misses == 0)
    }

    @Test func `without a verifier no token is accepted`() throws {
        let none = Authenticator(
            verifiers: VerifierTable([]), keySets: 0, hasher: try SHA256Hasher.required(), counters: counters,
            render: { _ in .empty })
        let outcome = Array(TokenDraft.idToken().signed().utf8).withUnsafeBytes {
            none.authenticate($0, kind: .idToken, now: 0, monotonic: 0, waitingSince: nil)
        }
        #expect(words(outcome) == "refused auth/invalid-id-token")
    }
}

/// All text and bytes of a value that reflection returns.
private struct HeldBytes {
    private var all: [[UInt8]] = []
    private var seen: Set<ObjectIdentifier> = []

    mutating func collect(_ value: Any) {
        switch value {
        case let bytes as [UInt8]: return all.append(bytes)
        case let text as String: return all.append(Array(text.utf8))
        case let object as AnyObject where type(of: value) is AnyClass:
            guard seen.insert(ObjectIdentifier(object)).inserted else { return }
        default: break
        }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let current = mirror {
            for child in current.children { collect(child.value) }
            mirror = current.superclassMirror
        }
    }

    func contains(_ bytes: [UInt8]) -> Bool {
        all.contains { $0.firstRange(of: bytes) != nil }
    }
}
