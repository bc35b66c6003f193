import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import TextCoding
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Facebook's callbacks, and GitHub's webhook about revoked authorizations.
@Suite struct ProviderCallbackTests {
    private static let now: Int64 = 1_700_000_000
    private static let appSecret = Array("app-secret".utf8)
    private static let hookSecret = Array("hook-secret".utf8)
    private static let facebook = IdentityLink(provider: "facebook.com", subject: "4711")
    private static let gitHub = IdentityLink(provider: "github.com", subject: "583231")
    private static let user = UserKey(uid: String(repeating: "1", count: 32), tenant: nil)

    private let store: SQLiteStore
    private let callbacks: ProviderCallbacks
    private let log = LogLines()

    init() async throws {
        let clock = GatewayClock.facts(at: Self.now)
        store = try SQLiteStore(path: nil, clock: clock, logger: .silent)
        try await store.load()
        let location = SourceLocation(origin: "test")
        var facebook = Configuration.Provider(id: "facebook.com", kind: .facebook, location: location)
        facebook.opaqueTokens = .init(url: "https://f.example", clientID: "1", clientSecret: Secret(Self.appSecret))
        facebook.deletionStatusURL = "https://app.example/deletion"
        var gitHub = Configuration.Provider(id: "github.com", kind: .github, location: location)
        gitHub.webhookSecret = Secret(Self.hookSecret)
        var identity = Configuration.Identity()
        identity.providers = [facebook, gitHub]
        callbacks = try #require(ProviderCallbacks(identity, store: store, clock: clock, logger: log.logger))
    }

    /// Creates an account with Facebook, and with further identities.
    private func createAccount(created: UnixTime = 1_600_000_000, _ more: IdentityLink...) async throws {
        let account = AccountRecord(
            uid: Self.user, created: created, links: [Self.facebook.provider: Self.facebook.subject])
        #expect(try await store.createAccount(account, claimsEmail: false) == .created)
        for link in more { _ = try await store.claim(link, for: Self.user) }
    }

    // MARK: - Facebook

    private func signed(
        _ payload: String, secret: [UInt8] = appSecret, change: (String) -> String = { $0 }
    ) throws -> String {
        let text = Base64URL.encode(Array(payload.utf8))
        let code = try #require(HMACSHA256.authenticate(Array(text.utf8), secret: secret))
        return "\(Base64URL.encode(code)).\(change(text))"
    }

    private static func payload(_ issued: Int64 = now - 60, algorithm: String = "HMAC-SHA256") -> String {
        #"{"algorithm":"\#(algorithm)","user_id":"4711","issued_at":\#(issued)}"#
    }

    private func call(
        _ endpoint: AccountEndpoint, _ request: String, type: String = "application/x-www-form-urlencoded"
    ) async -> CallAnswer {
        let call = AccountCall(
            endpoint: endpoint, body: Array("signed_request=\(request)".utf8), contentType: type, caller: nil,
            network: .unknown, requestID: "r-1")
        return CallAnswer(reply: await callbacks.serve(call))
    }

    @Test func `a removed app revokes the identity and its owner from before`() async throws {
        try await createAccount()
        #expect(await call(.facebookDeauthorization, try signed(Self.payload())).isAccepted)
        for user in [UserKey(Self.facebook), Self.user] {
            #expect(try await store.user(user).validSince == UnixTime(Self.now - 60))
        }
        #expect(try await store.owner(of: Self.facebook) == Self.user, "the identity stays linked")
        let lines = log.all.filter { $0.level == .notice }.map(\.text)
        #expect(lines.count == 1 && lines[0].contains("event applied") && !lines[0].contains("4711"))
    }

    @Test func `a deletion request deletes the account of the only identity`() async throws {
        try await createAccount()
        let request = try signed(Self.payload())
        let first = await call(.facebookDeletion, request)
        let code = try #require(first.string("confirmation_code"))
        #expect(code.utf8.count == 32 && first.string("url") == "https://app.example/deletion?code=\(code)")
        #expect(try await store.deletionTime(of: Self.user) != nil)
        #expect(try await store.owner(of: Self.facebook) == nil)
        #expect(await call(.facebookDeletion, request).string("confirmation_code") == code, "a repeated request")
    }

    @Test func `a deletion request unlinks the identity of an account with another one`() async throws {
        try await createAccount(.google("g"))
        #expect(await call(.facebookDeletion, try signed(Self.payload())).code == "ok")
        #expect(try await store.account(Self.user)?.links == ["google.com": "g"])
        #expect(try await store.deletionTime(of: Self.user) == nil)
    }

    @Test func `a repeated deletion request spares an account that was created since`() async throws {
        try await createAccount(created: UnixTime(clamping: Self.now - 59))
        #expect(await call(.facebookDeletion, try signed(Self.payload())).code == "ok")
        #expect(try await store.owner(of: Self.facebook) == Self.user)
        #expect(try await store.deletionTime(of: Self.user) == nil)
    }

    @Test func `a request that Facebook did not sign in time has no effect`() async throws {
        try await createAccount()
        let requests = [
            try signed(Self.payload(), secret: Array("other".utf8)), try signed(Self.payload()) { $0 + "A" },
            try signed(Self.payload(Self.now - 86_401)), try signed(Self.payload(Self.now + 301)),
            try signed(Self.payload(algorithm: "none")), try signed("{}"), try signed("x"),
            try signed(#"{"algorithm":"HMAC-SHA256","issued_at":\#(Self.now)}"#), "", ".", "a.b.c", "=.=",
        ]
        for request in requests {
            for endpoint in [AccountEndpoint.facebookDeauthorization, .facebookDeletion] {
                let answer = await call(endpoint, request)
                #expect(["auth/invalid-credential", "request/malformed"].contains(answer.code), "\(request)")
            }
        }
        #expect(
            await call(.facebookDeletion, try signed(Self.payload()), type: "text/plain").code == "request/malformed")
        #expect(try await store.user(Self.user) == UserRecord())
        #expect(try await store.owner(of: Self.facebook) == Self.user)
    }

    // MARK: - GitHub

    private func gitHub(
        _ body: String, event: String = "github_app_authorization", secret: [UInt8] = hookSecret,
        change: @Sendable (String) -> String = { $0 }
    ) async throws -> CallAnswer {
        let code = try #require(HMACSHA256.authenticate(Array(body.utf8), secret: secret))
        let signature = change("sha256=\(HexDigits.text(of: code))")
        let call = AccountCall(
            endpoint: .gitHubEvents, body: Array(body.utf8), contentType: "application/json", caller: nil,
            network: .unknown, requestID: "r-1",
            webhook: AccountCall.WebhookFields(event: Array(event.utf8), signature: Array(signature.utf8)))
        return CallAnswer(reply: await callbacks.serve(call))
    }

    private static let revoked = #"{"action":"revoked","sender":{"id":583231,"login":"linus"}}"#

    @Test func `a revoked authorization revokes the identity and its owner`() async throws {
        try await createAccount(Self.gitHub)
        #expect(try await gitHub(Self.revoked).isAccepted)
        for user in [UserKey(Self.gitHub), Self.user] {
            #expect(try await store.user(user).validSince == UnixTime(Self.now))
        }
        #expect(try await store.user(UserKey(Self.facebook)) == UserRecord())
    }

    @Test func `other events of GitHub are accepted without an effect`() async throws {
        try await createAccount(Self.gitHub)
        for event in ["ping", "push", ""] { #expect(try await gitHub(Self.revoked, event: event).isAccepted) }
        #expect(try await store.user(Self.user) == UserRecord())
    }

    @Test func `an event with another signature, or without a sender, is refused`() async throws {
        try await createAccount(Self.gitHub)
        #expect(try await gitHub(Self.revoked, secret: Self.appSecret).code == "auth/invalid-credential")
        let changes: [@Sendable (String) -> String] = [
            { $0.uppercased() }, { String($0.dropFirst(7)) }, { _ in "" }, { $0 + "0" }, { "sha1" + $0.dropFirst(6) },
        ]
        for change in changes {
            #expect(try await gitHub(Self.revoked, change: change).code == "auth/invalid-credential")
        }
        for body in ["{}", "x", #"{"action":"revoked"}"#, #"{"action":"created","sender":{"id":1}}"#] {
            #expect(try await gitHub(body).code == "auth/invalid-credential")
        }
        #expect(try await store.user(Self.user) == UserRecord())
    }

    @Test func `providers without a secret have no callbacks`() throws {
        var identity = Configuration.Identity()
        identity.providers = [Configuration.Provider(id: "github.com", kind: .github, location: .init(origin: "test"))]
        let clock = GatewayClock.facts(at: Self.now)
        #expect(ProviderCallbacks(identity, store: store, clock: clock, logger: log.logger) == nil)
    }
}
