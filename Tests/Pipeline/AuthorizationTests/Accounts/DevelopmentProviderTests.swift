import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import IdentityFixtures
import JOSE
import NIOPosix
import Revocation
import Testing

@testable import Authentication
@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP
@testable import StoreFixtures
@testable import SystemFixtures

/// Real requests to the development provider, with a clock that the test advances.
@Suite(.timeLimit(.minutes(5))) struct DevelopmentProviderTests {
    private typealias Token = DevelopmentIdentity.OpaqueToken
    private let time = ManualClock()
    private let log = LogLines()

    @Test(arguments: [Token.Kind.introspected, .gitHub, .facebook])
    func `each kind of token is checked`(kind: DevelopmentIdentity.OpaqueToken.Kind) async throws {
        let provider = try await start()
        let token = token(kind)
        try provider.add(token)
        let tokens = opaqueTokens(kind, provider)
        #expect(await verdict(of: token.text, tokens).shown.hasPrefix("accepted "))
        #expect(await verdict(of: "another-token", tokens).shown == "refused inactive")
        provider.revoke(token)
        #expect(await verdict(of: token.text, tokens).shown.hasPrefix("accepted "), "known for a while")
        time.advance(seconds: 61)
        #expect(await verdict(of: token.text, tokens).shown == "refused inactive")
        #expect(provider.calls(about: token) == 2)
        await tokens.shutdown()
        await provider.stop()
    }

    private static let misbehaviours: [Misbehaviour] = [
        .status(500), .status(401), .status(404), .status(429, fields: ["Retry-After": "1"]),
        .status(200), .status(204), .body("[]"), .html, .truncatedJSON, .oversized(bytes: 100_000),
        .endless,
        .gzipBomb(bytes: 10_000), .redirect(to: "http://127.0.0.1:1/"), .wrongContentLength(by: 1),
        .wrongContentLength(by: -10), .drop, .reset, .hang, .raw("HTTP/1.1 two hundred\r\n\r\n{}"),
    ]

    @Test(arguments: misbehaviours.indices)
    func `G-13: a misbehaving endpoint is a failure, not a result`(place: Int) async throws {
        let provider = try await start()
        let token = token(.introspected)
        try provider.add(token)
        let tokens = opaqueTokens(.introspected, provider) { $0.timeout = .milliseconds(200) }
        provider.misbehave(Self.misbehaviours[place], at: .introspection)
        #expect(await verdict(of: token.text, tokens).shown == "unavailable 1")
        provider.misbehave(nil, at: .introspection)
        try await afterRecovery { await verdict(of: token.text, tokens).shown.hasPrefix("accepted ") }
        #expect(!log.text.contains(token.text) && !log.text.contains("introspection-secret"))
        await tokens.shutdown()
        await provider.stop()
    }

    @Test func `accounts are looked up again after their time in the cache`() async throws {
        let provider = try await start()
        let toolkit = try identityToolkit(provider)
        let uid = DevelopmentUser.ada.uid
        let first = known(uid, provider)
        #expect(await lookUp(uid, toolkit) == first)
        provider.updateAccount(uid) { $0.validSince = 17 }
        #expect(await lookUp(uid, toolkit) == first, "known for a while")
        time.advance(seconds: 1)
        #expect(await lookUp(uid, toolkit) == .account(validSince: 17, disabled: false))
        provider.updateAccount(uid) { $0.isDisabled = true }
        time.advance(seconds: 1)
        #expect(await lookUp(uid, toolkit) == .account(validSince: 17, disabled: true))
        provider.deleteAccount(uid)
        time.advance(seconds: 1)
        #expect(await lookUp(uid, toolkit) == .missing)
        #expect(provider.calls(to: .oauthToken) == 1)
        provider.revokeAccessTokens()
        #expect(await lookUp("nobody", toolkit) == .missing)
        #expect(provider.calls(to: .oauthToken) == 2)
        await toolkit.shutdown()
        await provider.stop()
    }

    @Test(arguments: misbehaviours.indices)
    func `a misbehaving Identity Toolkit is a failure, not a status of the account`(place: Int) async throws {
        let provider = try await start()
        let toolkit = try identityToolkit(provider, timeout: .milliseconds(200))
        provider.misbehave(Self.misbehaviours[place], at: .accountsLookup)
        #expect(await lookUp("ada", toolkit) == .unavailable)
        provider.misbehave(nil, at: .accountsLookup)
        try await afterRecovery { await lookUp("ada", toolkit) == known("ada", provider) }
        await toolkit.shutdown()
        await provider.stop()
    }
}

extension DevelopmentProviderTests {
    private func start() async throws -> DevelopmentProvider {
        try await DevelopmentProvider.start(now: { ManualClock.start })
    }

    /// Repeats lookups, each a second after the last one. On a busy machine, a correct response can exceed the timeout
    /// of a test that waits for it.
    private func afterRecovery(_ isCorrect: () async -> Bool) async throws {
        try await eventually("a correct result") {
            time.advance(seconds: 1)
            return await isCorrect() ? true : nil
        }
    }

    private var environment: LookupEnvironment {
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 4, longest: .hangLimit)
        return LookupEnvironment(transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in })
    }

    private func token(_ kind: Token.Kind) -> Token {
        switch kind {
        case .introspected: .introspected(for: .ada, now: ManualClock.start)
        case .gitHub: .gitHub(for: .ada, now: ManualClock.start)
        case .facebook: .facebook(for: .ada, now: ManualClock.start)
        }
    }

    private func opaqueTokens(
        _ kind: Token.Kind, _ provider: DevelopmentProvider,
        _ change: (inout Configuration.Provider.OpaqueTokens) -> Void = { _ in }
    ) -> OpaqueTokens {
        let (id, provided, endpoint): (String, Configuration.Provider.Kind, DevelopmentProvider.Endpoint) =
            switch kind {
            case .introspected: ("oauth.dev", .oauth, .introspection)
            case .gitHub: ("github.com", .github, .gitHubTokenCheck)
            case .facebook: ("facebook.com", .facebook, .facebookDebugToken)
            }
        let client = provider.client(for: kind)
        let entry = Configuration.Provider.opaque(
            id, kind: provided, url: provider.url(endpoint), client: client.id, secret: client.secret
        ) {
            $0.audiences = ["gatehouse"]
            $0.timeout = .hangLimit
            change(&$0)
        }
        return OpaqueTokens([entry], clockSkew: .seconds(5), environment: environment)
    }

    private func verdict(of token: String, _ tokens: OpaqueTokens) async -> OpaqueVerdict {
        let bytes = Array(token.utf8)
        let key = SHA256Hasher()!.hash(bytes)!
        return await withCheckedContinuation { continuation in
            tokens.check(bytes, key: key, provider: 0, for: .unknown) { continuation.resume(returning: $0) }
        }
    }

    private func identityToolkit(
        _ provider: DevelopmentProvider, timeout: Duration = .hangLimit
    ) throws -> IdentityToolkit {
        let json = try provider.makeServiceAccount().json.text
        var accounts = Configuration.FirebaseAccounts(serviceAccount: "unused")
        accounts.lookupURL = provider.url(.accountsLookup)
        accounts.timeout = timeout
        return IdentityToolkit(
            accounts, project: provider.project,
            credential: .serviceAccount(
                try Authorization.ServiceAccount(json: Array(json.utf8), name: "sa.json")), environment: environment
        )
    }

    /// The status of the account at the provider.
    private func known(_ uid: String, _ provider: DevelopmentProvider) -> AccountStatus.State? {
        provider.account(uid).map {
            .account(validSince: $0.validSince.flatMap(UnixTime.init(_:)), disabled: $0.isDisabled ?? false)
        }
    }

    private func lookUp(_ uid: String, _ toolkit: IdentityToolkit) async -> AccountStatus.State {
        let now = time.monotonic
        return await withCheckedContinuation { continuation in
            toolkit.lookUp(UserKey(uid), notBefore: now) { continuation.resume(returning: $0.state) }
        }
    }
}
