import Accounts
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// What takes events, over a store, with providers whose keys are known.
struct EventRig: Sendable {
    static let now = ManualClock.start
    /// What the tests' store knows of before events come.
    static let ada = IdentityLink(provider: "apple.com", subject: "user-1")

    let store: SQLiteStore
    let events: AccountEvents
    let log: EventLog

    /// - Parameters:
    ///   - keys: what became of looking for them; nil: they are known.
    ///   - log: where another gateway logs, for two that share one.
    init(
        _ store: SQLiteStore? = nil,
        providers: [Configuration.Provider] = ProviderSample.allCases.map { $0.provider() },
        now: Int64 = now, keys: KeyLookupResult? = nil, log: EventLog = EventLog()
    ) throws {
        var identity = Configuration.Identity()
        identity.providers = providers
        let (table, sources) = VerifierTable.make(of: identity)
        let clock = GatewayClock.standing(at: now)
        let verifier = EventVerifier(
            verifiers: table, keys: SampleKeys(sources: sources, result: keys), now: clock.now)
        self.store = try store ?? SQLiteStore(path: nil, clock: clock, logger: .silent)
        self.log = log
        events = AccountEvents(
            verifier: verifier, store: self.store, clock: clock, logger: Logger(label: "test") { _ in log })
    }

    /// Makes an account with these links; the first one makes it.
    func makeAccount(_ uid: UserKey = "ada", _ links: [IdentityLink] = [ada]) async throws {
        _ = try await store.createAccount(
            AccountRecord(uid: uid, created: 1, links: [links[0].provider: links[0].subject]), claimsEmail: false)
        for link in links.dropFirst() { _ = try await store.claim(link, for: uid) }
    }

    /// Posts a notification.
    func notify(_ token: String) async -> AccountReply {
        await post(Array(#"{"payload":"\#(token)"}"#.utf8))
    }

    /// Posts a logout token.
    func logOut(_ token: String) async -> AccountReply {
        await post(Array("logout_token=\(token)".utf8), to: .backchannelLogout)
    }

    func post(
        _ body: [UInt8], to endpoint: AccountEndpoint = .appleEvents, contentType: String? = nil
    ) async -> AccountReply {
        let usual = endpoint == .appleEvents ? "application/json" : "application/x-www-form-urlencoded"
        return await events.serve(
            AccountCall(
                endpoint: endpoint, body: body, contentType: contentType ?? usual, caller: nil, network: .unknown,
                requestID: "r-1"))
    }
}

extension AccountReply {
    var isAccepted: Bool {
        guard case .accepted = self else { return false }
        return true
    }

    var refusal: Denial? {
        guard case .refused(let denial) = self else { return nil }
        return denial
    }
}

/// The key sets of samples, and the keys of tests' tokens in all others.
struct SampleKeys: KeyWaiting {
    let sources: [KeySetSource]
    var result: KeyLookupResult?

    func view(of set: Int) -> KeySetView {
        let sample = ProviderSample.allCases.first { KeySetSource($0.keys) == sources[set] }
        return KeySetView(
            keys: sample?.keySet ?? TokenDraft.keys, generation: 1, isLoaded: true, lastFetchSucceeded: true,
            usableUntil: .max)
    }

    func key(kid: String, set: Int) async -> KeyLookupResult {
        if let result { return result }
        let view = view(of: set)
        return view.keys?.key(id: kid).map { .key($0, view) } ?? .unknown
    }
}

/// Keeps the lines of a log, with their metadata.
final class EventLog: LogHandler, Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    /// The lines of events that took effect.
    var taken: [String] { lines.filter { $0.hasPrefix("notice event taken") } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        kept.withLock { $0.append((["\(event.level)", "\(event.message)"] + metadata).joined(separator: " ")) }
    }
}
