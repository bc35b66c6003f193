import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The receiver of security events over a store, with transmitters whose keys are known.
struct SecurityEventRig: Sendable {
    static let now = ManualClock.start
    static let issuer = "https://ssf.corp.example"
    static let audience = "https://api.example.com"
    /// The subject of the tests, and the link of the account.
    static let link = IdentityLink(provider: "oidc.corp", subject: "user-1")
    static let subject = #"{"format":"iss_sub","iss":"https://id.corp.example","sub":"user-1"}"#

    let store: SQLiteStore
    let events: SecurityEvents
    let transmitter: EventTransmitter
    let log: LogLines

    /// - Parameters:
    ///   - keys: The result of each key lookup. `nil` for the keys of the transmitter.
    ///   - id: The name of the transmitter.
    ///   - log: The log of another gateway, if two share one.
    ///   - change: Changes of the transmitter.
    init(
        _ store: SQLiteStore? = nil, id: String = "corp", keys: KeyLookupResult? = nil, log: LogLines = LogLines(),
        now: Int64 = now,
        _ change: (inout Configuration.Transmitter) -> Void = { _ in }
    ) throws {
        var identity = Configuration.Identity()
        identity.providers = [ProviderSample.oidc.provider(), ProviderSample.google.provider()]
        identity.firebase = Configuration.Firebase(project: TokenDraft.project)
        var settings = Configuration.Transmitter(id: id, location: SourceLocation(origin: "a test"))
        (settings.issuer, settings.audiences) = (Self.issuer, [Self.audience])
        settings.keys = .url("https://keys.example/ssf")
        settings.subjects = .provider("oidc.corp")
        change(&settings)
        let (_, sources) = VerifierTable.make(of: identity, transmitters: [settings])
        let clock = GatewayClock.facts(at: now)
        self.store = try store ?? SQLiteStore(path: nil, clock: clock, logger: .silent)
        self.log = log
        transmitter = try #require(EventTransmitter(settings, identity, sources: sources))
        events = SecurityEvents(
            [transmitter],
            keys: FixedKeys(sources.map { _ in TokenDraft.keys }, result: keys), clockSkew: 5, store: self.store,
            clock: clock, logger: log.logger)
    }

    /// Creates the account "ada" with these links.
    func makeAccount(_ links: [IdentityLink] = [link], email: String? = nil) async throws {
        _ = try await store.createAccount(
            AccountRecord(
                uid: "ada", email: email, created: 1, links: [links[0].provider: links[0].subject],
                emailFrom: links[0].provider), claimsEmail: email != nil)
        for link in links.dropFirst() { _ = try await store.claim(link, for: "ada" as UserKey) }
    }

    /// A token of the event, issued 100 seconds ago.
    static func token(
        _ uri: String, _ payload: String = "{}", subject: String? = subject, id: String = "j-1"
    ) -> TokenDraft {
        TokenDraft(claims: [
            "iss": "\"\(issuer)\"", "aud": "\"\(audience)\"", "iat": "\(now - 100)", "jti": "\"\(id)\"",
            "events": #"{"https://schemas.openid.net/secevent/\#(uri)":\#(payload)}"#,
        ]).with("sub_id", subject).withHeader("typ", #""secevent+jwt""#)
    }

    /// A subject at the provider.
    static func makeSubject(_ name: String) -> String {
        #"{"format":"iss_sub","iss":"https://id.corp.example","sub":"\#(name)"}"#
    }

    static let sessionRevoked = token("caep/event-type/session-revoked")

    func push(_ token: TokenDraft) async -> CallAnswer { await push(token.signed()) }

    func push(
        _ token: String, contentType: String = "application/secevent+jwt", authorization: String? = nil
    ) async -> CallAnswer {
        let call = AccountCall(
            endpoint: .securityEvents, body: Array(token.utf8), contentType: contentType, caller: nil,
            network: .unknown, requestID: "r-1", authorization: authorization.map { Array($0.utf8) })
        return CallAnswer(reply: await events.serve(call))
    }

    /// The time of the revocation of a user, in seconds.
    func revoked(_ user: String) async throws -> Int64? { try await store.user(user).validSince?.seconds }

    /// The counters as `TRANSMITTER EVENT RESULT COUNT`.
    var counts: [String] {
        events.counts.map { "\($0.transmitter) \($0.event) \($0.result) \($0.count)" }
    }
}
