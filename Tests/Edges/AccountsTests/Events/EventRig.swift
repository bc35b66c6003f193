import Accounts
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The receiver of events over a store, with providers whose keys are known.
struct EventRig: Sendable {
    static let now = ManualClock.start
    /// The link of the account of the tests.
    static let ada = IdentityLink(provider: "apple.com", subject: "user-1")

    let store: SQLiteStore
    let events: AccountEvents
    let log: LogLines

    /// - Parameters:
    ///   - keys: the result of each key lookup. `nil` for the keys of the providers.
    ///   - log: the log of another gateway, if two share one.
    init(
        _ store: SQLiteStore? = nil,
        providers: [Configuration.Provider] = ProviderSample.allCases.map { $0.provider() },
        now: Int64 = now, keys: KeyLookupResult? = nil, log: LogLines = LogLines()
    ) throws {
        var identity = Configuration.Identity()
        identity.providers = providers
        let (table, sources) = VerifierTable.make(of: identity)
        let clock = GatewayClock.facts(at: now)
        let sets = sources.map { source in
            ProviderSample.allCases.first { KeySetSource($0.keys) == source }?.keySet ?? TokenDraft.keys
        }
        let verifier = EventVerifier(verifiers: table, keys: FixedKeys(sets, result: keys), now: clock.now)
        self.store = try store ?? SQLiteStore(path: nil, clock: clock, logger: .silent)
        self.log = log
        events = AccountEvents(verifier: verifier, store: self.store, clock: clock, logger: log.logger)
    }

    /// Creates an account with these links.
    func makeAccount(_ uid: UserKey = "ada", _ links: [IdentityLink] = [ada]) async throws {
        _ = try await store.createAccount(
            AccountRecord(uid: uid, created: 1, links: [links[0].provider: links[0].subject]), claimsEmail: false)
        for link in links.dropFirst() { _ = try await store.claim(link, for: uid) }
    }

    /// Posts a notification.
    func notify(_ token: String) async -> CallAnswer { await post(Array(#"{"payload":"\#(token)"}"#.utf8)) }

    /// Posts a logout token.
    func logOut(_ token: String) async -> CallAnswer {
        await post(Array("logout_token=\(token)".utf8), to: .backchannelLogout)
    }

    func post(
        _ body: [UInt8], to endpoint: AccountEndpoint = .appleEvents, contentType: String? = nil
    ) async -> CallAnswer {
        let usual = endpoint == .appleEvents ? "application/json" : "application/x-www-form-urlencoded"
        let call = AccountCall(
            endpoint: endpoint, body: body, contentType: contentType ?? usual, caller: nil, network: .unknown,
            requestID: "r-1")
        return CallAnswer(reply: await events.serve(call))
    }
}

extension LogLines {
    /// Each line with its level and sorted metadata.
    var lines: [String] {
        all.map { line in
            let metadata = line.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["\(line.level)", line.message] + metadata).joined(separator: " ")
        }
    }

    /// The lines of applied events.
    var applied: [String] { lines.filter { $0.hasPrefix("notice event applied") } }
}

/// A flaw of an event token.
struct EventFlaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (TokenDraft) -> TokenDraft

    init(_ description: String, _ change: @escaping @Sendable (TokenDraft) -> TokenDraft) {
        testDescription = description
        self.change = change
    }

    /// A claim with each of these JSON texts.
    static func claim(_ name: String, _ values: [String?]) -> [EventFlaw] {
        values.map { value in EventFlaw("\(name): \(value ?? "missing")") { $0.with(name, value) } }
    }

    static func header(_ name: String, _ values: [String?]) -> [EventFlaw] {
        values.map { value in EventFlaw("header \(name): \(value ?? "missing")") { $0.withHeader(name, value) } }
    }

    static let all: [EventFlaw] = [headers, origin, times, names].flatMap { $0.flatMap { $0 } }

    private static let now = EventRig.now

    private static let headers = [
        header("kid", [nil, #""""#, #""another""#]),
        header("alg", ["HS256", "none", "PS256", "ES256"].map { "\"\($0)\"" }),
        header("typ", ["at+jwt", "id_token+jwt", "gatehouse-session+jwt", ""].map { "\"\($0)\"" }),
    ]

    private static let origin = [
        claim("iss", [nil, "7", #""https://id.evil.example""#, #""https://appleid.apple.com/""#]),
        claim("aud", [nil, "7", "[]", "{}", #""client-2""#, #"["client-2"]"#]),
    ]

    private static let times = [
        claim("iat", [nil, "null", #""1700000000""#, "1.5", "\(now + 6)"]),
        claim("exp", ["null", #""9999999999""#, "\(now)", "\(now - 1)"]),
        claim("nbf", ["null", "\(now + 6)"]),
    ]

    private static let names = [
        claim("jti", [nil, "null", "7", #""""#, "\"\(String(repeating: "j", count: 1025))\""]),
        claim("events", [nil, "null", "7", "[]", #""""#, #""{""#, #""[]""#, "{}", #""{}""#]),
    ]
}
