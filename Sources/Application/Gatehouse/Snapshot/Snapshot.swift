package import Authentication
import Authorization
package import Forwarding
package import GatewayConfiguration
package import GatewayCore
package import HTTPServer
import HTTPWire
package import JOSE
package import RequestPipeline
package import SecurityRules

/// Routes, verifiers, upstreams and headers of one configuration: immutable, built and checked off the request path.
///
/// Each worker holds one; a request sees one.
package final class Snapshot: Sendable {
    /// What the pipeline decides by.
    package let pipeline: PipelineSettings
    let upstreams: [UpstreamSettings]
    /// The session cookie's name; `nil`: none is accepted.
    let cookieName: String?
    package let verifiers: VerifierTable
    /// The key sets' sources; a verifier names its set by the place here.
    package let keySources: [KeySetSource]
    /// The place where workers keep the keys of the gateway's own session cookies, which are fetched from nowhere; `nil`: there are no
    /// such cookies, and no accounts.
    package let sessionSet: Int?
    /// The challenge parameters `acr_values` (RFC 9470 section 3) and `claims` of the providers whose entries list such values, by id.
    package let acrValues: [String: String]
    /// The providers that can be asked about opaque tokens, in the order of the configuration.
    package let opaqueProviders: [Configuration.Provider]
    package let outgoing: OutgoingHead
    /// The demo page; `nil`: it is not served.
    let page: StaticResponse?
    /// The keys of assertions; `nil`: there are none.
    let assertionKeys: AssertionKeys?
    /// The keys of session cookies that the configuration names; `nil`: it names none, and the store keeps them.
    package let sessionKeyFiles: (current: SigningKey, previous: [SigningKey])?
    /// The field policy of responses to requests whose route is not known; `nil`: there is none.
    let additions: ResponseFieldPolicy?
    /// What loads and should nevertheless be known, besides the configuration's own warnings.
    package let warnings: [ConfigurationWarning]
    /// The settings of each listener, in the order of the configuration.
    let listeners: [ListenerSettings]
    package let limits: ConnectionLimits
    package let clockSkew: Int64
    /// How long a request waits for the store's own answer, in nanoseconds.
    let strictTimeout: UInt64
    /// The rules of every route that authenticates; `nil`: there are none.
    package let rules: Ruleset?
    /// Whether a provider's own token may not pass whose identity belongs to no account.
    package let deniesUnlinked: Bool
    /// What verified tokens, and what was rendered of them, depend on.
    let identityShape: IdentityShape

    /// Whether any route may query the store itself on a request.
    var asksStore: Bool {
        pipeline.plans.contains { plan in
            plan.policy.revocation == .strict || plan.policy.recentSignIn != nil
                || plan.policy.rules?.needsSignInRecord == true
        }
    }

    /// The key that signs assertions, by its `kid`; `nil`: there is none.
    package var assertionKeyID: String? { assertionKeys?.current.keyID }

    /// What is served under `/.gatehouse/`, each as method and path; empty: nothing is.
    package var builtinCalls: [String] {
        guard let builtin = pipeline.builtin else { return [] }
        let calls = builtin.calls.map { "\($0.endpoint.method == .get ? "GET" : "POST") \($0.endpoint.path)" }
        return calls + ["GET /.gatehouse/jwks.json"]
    }

    /// How many key sets a worker keeps.
    package var keySetCount: Int { keySources.count + (sessionSet == nil ? 0 : 1) }

    /// Builds the snapshot of a checked configuration.
    ///
    /// Reads the rules file, the key files of the assertion and of session cookies, and the listeners' certificates, where there are any.
    ///
    /// - Throws: all that is wrong with its routes, and with those files, each at its place in the configuration.
    package convenience init(_ configuration: Configuration) throws(ConfigurationErrors) {
        try self.init(configuration, places: MetricIndices(configuration))
    }

    /// - Parameters:
    ///   - places: where its routes and upstreams are counted.
    ///   - sign: signs assertions in the place of the key; `nil`: the key does.
    init(
        _ configuration: Configuration, places: MetricIndices, sign: AssertionSigner.Sign? = nil
    ) throws(ConfigurationErrors) {
        var builder = try SnapshotBuilder(configuration, places: places)
        upstreams = builder.readUpstreams()
        rules = builder.readRules()
        let plans = builder.readPlans(rules, upstreams)
        (assertionKeys, sessionKeyFiles) = builder.readSigningKeys()
        listeners = builder.readListeners()
        let (identity, credentials) = (configuration.identity, configuration.identity.credentials)
        let locator = CredentialLocator(header: credentials.header, cookie: credentials.cookie)
        let hasRules = plans.contains { $0.policy.rules != nil }
        outgoing = builder.readOutgoingHead(locator, assertionKeys, keepsVariable: hasRules, sign: sign)
        warnings = try builder.warnings()
        pipeline = PipelineSettings(
            proxies: builder.proxies, routes: builder.routes, plans: plans, locator: locator,
            crossSite: CrossSiteCheck(origins: configuration.accounts?.origins ?? []),
            builtin: builder.builtinEndpoints(publishesKeys: assertionKeys != nil),
            maxStaleness: configuration.revocation.maxStaleness.nanoseconds)
        cookieName = credentials.cookie
        let hasAccounts = configuration.accounts != nil
        (verifiers, keySources) = VerifierTable.make(of: identity, hasSessions: hasAccounts)
        sessionSet = hasAccounts ? keySources.count : nil
        acrValues = identity.providers.reduce(into: [:]) { values, provider in
            values[provider.id] = provider.idTokens?.secondFactor.challengeParameter
        }
        opaqueProviders = builder.opaqueProviders
        page = configuration.accounts?.demoPage.map { StaticResponse($0) }
        additions = ResponseFieldPolicy(common: configuration.responseHeaders)
        limits = ConnectionLimits(configuration.limits)
        clockSkew = identity.clockSkew.components.seconds
        strictTimeout = configuration.revocation.strictTimeout.nanoseconds
        deniesUnlinked = configuration.accounts?.unlinked == .deny
        identityShape = IdentityShape(
            configuration, keepsVariable: hasRules, assertionKeyID: assertionKeys?.current.keyID,
            sessionKeyIDs: sessionKeyFiles.map { [$0.current.keyID] + $0.previous.map(\.keyID) } ?? [])
    }
}
