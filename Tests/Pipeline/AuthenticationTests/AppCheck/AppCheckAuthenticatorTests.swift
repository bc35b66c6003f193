import GatewayCore
import JOSE
import Synchronization
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct AppCheckAuthenticatorTests {
    private final class Requests: Sendable {
        let sets = Mutex<[Int]>([])
    }

    private let authenticator: AppCheckAuthenticator
    private let counters = WorkerCounters(routes: 1, upstreams: 1)
    private let requests = Requests()

    init() throws {
        let requests = requests
        authenticator = AppCheckAuthenticator(
            AppCheckSample.verifier(keySet: 3), hasher: try SHA256Hasher.required(), counters: counters
        ) { set in requests.sets.withLock { $0.append(set) } }
    }

    private func install(
        _ keys: KeySet? = TokenDraft.keys, generation: UInt64 = 1, set: Int = 3, succeeded: Bool = true,
        completed: UInt64 = 1, usableUntil: UInt64 = 1000, cooldownUntil: UInt64 = .max
    ) {
        authenticator.install(
            KeySetView(
                keys: keys, generation: generation, isLoaded: true, lastFetchSucceeded: succeeded,
                completedFetches: completed, usableUntil: usableUntil, cooldownUntil: cooldownUntil,
                nextFetchAt: .max / 2),
            set: set)
    }

    private func outcome(
        _ token: String, now: Int64 = ManualClock.start, monotonic: UInt64 = 0, waitingSince: UInt64? = nil
    ) -> String {
        let outcome = Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate($0, now: now, monotonic: monotonic, waitingSince: waitingSince)
        }
        return switch outcome {
        case .verified(let proof): "verified \(proof.app.name)"
        case .refused(let failure): "refused: \(failure.rawValue)"
        case .unavailable: "unavailable"
        case .awaitKeys(let completed): "awaits \(completed)"
        }
    }

    private var hits: UInt64 { counters.snapshot()[.tokenCacheHits] }

    @Test func `a token is verified once and then cached until it expires`() {
        install()
        for hits in 0..<3 as Range<UInt64> {
            #expect(outcome(AppCheckSample.token) == "verified web")
            #expect(self.hits == hits)
        }
        #expect(outcome(AppCheckSample.token, now: ManualClock.start + 3499) == "verified web")
        #expect(outcome(AppCheckSample.token, now: ManualClock.start + 3500) == "refused: expired")
    }

    @Test func `a cached token ends with its key and with its key set`() {
        install()
        #expect(outcome(AppCheckSample.token) == "verified web")
        #expect(outcome(AppCheckSample.token, monotonic: 1000) == "unavailable")
        install(TokenDraft.keySet([TokenDraft.secondKey]), generation: 2)
        #expect(outcome(AppCheckSample.token) == "refused: no key with this kid")
    }

    @Test func `the keys of another set verify nothing`() {
        install(set: 2)
        #expect(outcome(AppCheckSample.token) == "awaits 0")
    }

    @Test func `a refused token is not cached`() {
        install()
        for _ in 0..<2 {
            let forged = AppCheckSample.draft().signed(by: TokenDraft.forgedKey)
            #expect(outcome(forged) == "refused: the signature is invalid")
        }
        #expect(hits == 0)
    }

    @Test func `an unknown key is fetched once`() {
        let token = AppCheckSample.draft().withHeader("kid", "\"key-9\"").signed()
        install(cooldownUntil: 0)
        #expect(outcome(token) == "awaits 1")
        install(completed: 2, cooldownUntil: 0)
        #expect(outcome(token, waitingSince: 1) == "refused: no key with this kid")
        install(succeeded: false, completed: 2, cooldownUntil: 0)
        #expect(outcome(token, waitingSince: 1) == "unavailable")
        install(completed: 2)
        #expect(outcome(token) == "refused: no key with this kid")
    }

    @Test(arguments: [
        (AppCheckSample.placeholder, "the placeholder of an SDK whose attestation failed"),
        (String(AppCheckSample.placeholder.dropLast(2)), "the placeholder of an SDK whose attestation failed"),
        (AppCheckSample.placeholder + "x", "not a compact JWS"), ("", "not a compact JWS"),
        ("a.b.c", "not a compact JWS"),
        ("\(AppCheckSample.token), \(AppCheckSample.token)", "not a compact JWS"),
        (String(repeating: "x", count: 20_000), "not a compact JWS"),
    ])
    func `a field without a token has its own reason`(text: String, reason: String) {
        install()
        #expect(outcome(text) == "refused: \(reason)")
    }

    @Test func `the key set is requested by its index`() {
        authenticator.requestKeySet()
        #expect(requests.sets.withLock { $0 } == [3])
    }

    /// Many tokens never exceed the capacity, and the token that expires first is evicted.
    @Test func `the cache is bounded`() throws {
        var cache = AppCheckCache(capacity: 4)
        let hasher = try SHA256Hasher.required()
        let app = AppCheckSample.verifier().apps[0]
        let keys = try (0..<6).map { try #require(hasher.hash([UInt8($0)])) }
        for (index, key) in keys.enumerated() {
            let proof = AppCheckProof(app: app, expiresAt: UnixTime(clamping: Int64(10 - index)))
            cache.insert(proof, under: key, generation: 1)
        }
        // Of the first four, the fourth expires first; then the fifth does.
        #expect(keys.map { cache.find($0, generation: 1) != nil } == [true, true, true, false, false, true])
        #expect(keys.allSatisfy { cache.find($0, generation: 2) == nil })
    }
}
