import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The account service with a store in memory, provider tokens of the development identity, and a manual clock.
struct AccountsRig: Sendable {
    static let issuer = SessionDraft.issuer
    static let gitHub = DevelopmentIdentity.OpaqueToken.Kind.gitHub

    let time = ManualClock()
    let log = LogLines()
    let transport = FakeTransport()
    let keys: FixedKeys
    let store: SQLiteStore
    let accounts: Accounts
    let parts: AccountParts
    let authority = SessionAuthority()
    let jar = CookieJar()
    /// The responses of providers about opaque tokens.
    let opaque = OpaqueAnswers()

    /// - Parameter change: changes the default settings.
    init(
        keysAreKnown: Bool = true, settings change: (inout Configuration.Accounts) -> Void = { _ in },
        parts changeParts: (inout AccountParts) -> Void = { _ in }
    ) async throws {
        store = try SQLiteStore(path: nil, clock: time.clock, logger: log.logger)
        try await store.load()
        let identity = Self.identity
        let (table, sources) = VerifierTable.make(of: identity)
        keys = FixedKeys(sources.map(Self.keySet))
        let (opaque, transport) = (opaque, transport)
        transport.always { opaque.reply(to: $0) }
        let tokens = OpaqueTokens(
            identity.providers, clockSkew: .seconds(5),
            environment: LookupEnvironment(
                transport: transport, clock: time.clock, logger: log.logger, wake: { _, _ in }))
        var settings = Configuration.Accounts()
        change(&settings)
        var parts = AccountParts(
            settings: settings, clock: time.clock, logger: log.logger, store: store, authority: authority,
            verifier: ProofVerifier(
                verifiers: table, keys: keys,
                opaque: OpaqueProof(
                    providers: identity.providers.filter { $0.opaqueTokens != nil }.map(\.id), checker: tokens),
                clock: time.clock),
            clockSkew: 5, maxStaleness: .max, rating: NotedRates())
        parts.sessions = SessionReader(VerifierTable.make(of: identity, hasSessions: true).0)
        changeParts(&parts)
        self.parts = parts
        accounts = Accounts(parts)
        if keysAreKnown { authority.set(try SessionDraft.keys()) }
    }

    var now: Int64 { time.now }
}

extension AccountsRig {
    private static let providers: [IdentityProvider] = [.apple, .google, .microsoft, .facebook, .oidc("corp")]

    static var identity: Configuration.Identity {
        var identity = Configuration.Identity()
        identity.firebase = Configuration.Firebase(project: FirebaseToken.demoProject)
        identity.providers = providers.map(configured)
        identity.providers.append(
            .opaque("github.com", kind: .github, url: "https://github.example/{client_id}") { _ in })
        identity.providers.append(.opaque("oauth.legacy") { $0.audiences = ["gatehouse"] })
        return identity
    }

    private static func configured(_ provider: IdentityProvider) -> Configuration.Provider {
        let kind = Configuration.Provider.Kind(rawValue: provider.id) ?? .oidc
        var configured = Configuration.Provider(id: provider.id, kind: kind, location: SourceLocation(origin: "test"))
        configured.idTokens = Configuration.Provider.IDTokens(
            issuers: [provider.issuer], audiences: [provider.demoAudience],
            keys: .url("https://keys.example/\(provider.id)"))
        if provider == .microsoft {
            configured.idTokens?.tenants = [
                DevelopmentUser.microsoftTenant, DevelopmentUser.personalMicrosoftTenant,
            ]
        }
        configured.idTokens?.secondFactor.amr = ["mfa"]
        return configured
    }

    /// One key signs all tokens, because its generation is slow.
    private static func keySet(of source: KeySetSource) -> KeySet {
        source.url.hasSuffix(IdentityProvider.microsoft.id)
            ? TokenDraft.keySet([TokenDraft.key], issuer: IdentityProvider.microsoft.issuer) : TokenDraft.keys
    }
}
