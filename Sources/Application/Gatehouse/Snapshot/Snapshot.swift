package import Accounts
package import Authentication
import Authorization
import Decisions
package import Forwarding
package import GatewayConfiguration
package import GatewayCore
package import HTTPServer
import HTTPWire
package import JOSE
package import RequestPipeline
package import SecurityRules
import Telemetry

/// The routes, verifiers, upstreams and headers of one configuration: immutable, created and checked off the request
/// path.
///
/// Each worker holds one; a request uses the same one from start to end.
package final class Snapshot: Sendable {
    /// The settings of the pipeline.
    package let pipeline: PipelineSettings
    package let upstreams: [UpstreamSettings]
    /// The session cookie of the gateway. Its name is empty if no cookie is accepted.
    let sessionCookies: SessionCookieLines
    /// The bounds of sessions in time. `nil` without accounts.
    let sessionTerms: SessionTerms?
    /// The renewal of session cookies. `nil` if they are not renewed.
    let sessionRenewal: SessionRenewal?
    package let verifiers: VerifierTable
    /// The sources of the key sets. A verifier refers to its set by index.
    package let keySources: [KeySetSource]
    /// The transmitters of security events.
    let transmitters: [EventTransmitter]
    /// The verifier of App Check tokens. `nil` if none are accepted.
    package let appVerifier: AppCheckVerifier?
    /// The index of the gateway's own session keys, which are not fetched. `nil` without accounts.
    package let sessionSet: Int?
    /// The challenge parameters `acr_values` (RFC 9470 section 3) and `claims`, by the ID of the provider.
    package let acrValues: [String: String]
    /// The providers with token introspection, in the order of the configuration.
    package let opaqueProviders: [Configuration.Provider]
    package let outgoing: OutgoingHead
    /// The selection of recorded requests. `nil` if traces are disabled.
    let tracing: TraceSettings?
    /// The demo page. `nil` if it is not served.
    let page: StaticResponse?
    /// The sign-in page. `nil` if it is not served.
    let signInPage: SignInPage?
    /// The assertion keys. `nil` without assertions.
    let assertionKeys: AssertionKeys?
    /// The configured session keys. `nil` if the store contains them.
    package let sessionKeyFiles: (current: SigningKey, previous: [SigningKey])?
    /// The providers with an authorization-code flow.
    package let flowProviders: [FlowProvider]
    /// The field policy of responses to requests without a known route. `nil` without a policy.
    let additions: ResponseFieldPolicy?
    /// The hash of the configuration file and the rules file as written, in hexadecimal. It does not depend on the
    /// values of `${...}`.
    let configurationHash: String
    /// The warnings in addition to the configuration's own.
    package let warnings: [ConfigurationWarning]
    /// The settings of each listener, in the order of the configuration.
    package let listeners: [ListenerSettings]
    /// The settings of the listener for decisions. `nil` without one.
    let decisions: DecisionSettings?
    /// The provider that introspects opaque tokens of services. `nil` for none or several.
    let introspectionProvider: Int?
    /// The settings of its connections. `nil` without it.
    package let decisionListener: ListenerSettings?
    package let limits: ConnectionLimits
    package let clockSkew: Int64
    /// The timeout of a store query, in nanoseconds.
    let strictTimeout: UInt64
    /// The rules of all routes with authentication. `nil` without a rules file.
    package let rules: Ruleset?
    /// Whether a provider's own token is denied if its identity belongs to no account.
    package let deniesUnlinked: Bool
    /// The settings that affect verified tokens and their rendered fields.
    let identityShape: IdentityShape

    /// Whether any route may query the store during a request.
    var queriesStore: Bool {
        decisions?.clients != nil
            || pipeline.plans.contains { plan in
                plan.policy.revocation == .strict || plan.policy.recentSignIn != nil
                    || plan.policy.rules?.needsSignInRecord == true
            }
    }

    /// The `kid` of the key that signs assertions. `nil` without assertions.
    package var assertionKeyID: String? { assertionKeys?.current.keyID }

    /// The endpoints under `/.gatehouse/`, each as method and path. Empty if there are no such endpoints.
    package var builtinCalls: [String] {
        guard let builtin = pipeline.builtin else { return [] }
        let calls = builtin.calls.map { call in
            let methods = "\(call.endpoint.allowedMethods)".replacing(", HEAD", with: "")
            return "\(methods) \(String(decoding: call.path, as: UTF8.self))"
        }
        let assets = builtin.assets.map { "GET \(String(decoding: $0.path, as: UTF8.self))" }
        return calls + assets + ["GET /.gatehouse/jwks.json"]
    }

    /// Returns a file of the sign-in page, or the confirmation that the client has it. `nil` without the file.
    func pageAsset(_ index: Int, isCurrent: Bool) -> StaticResponse? {
        guard let assets = signInPage?.assets, assets.indices.contains(index) else { return nil }
        let asset = assets[index]
        guard !isCurrent else { return StaticResponse(notModified: PageAsset.caching, fields: asset.fields) }
        return StaticResponse(
            contentType: asset.contentType, caching: PageAsset.caching, fields: asset.fields, body: asset.body)
    }

    /// The number of key sets of a worker.
    package var keySetCount: Int { keySources.count + (sessionSet == nil ? 0 : 1) }

    /// Creates the snapshot of a checked configuration.
    ///
    /// It reads the configured rules file, key files and certificates.
    ///
    /// - Throws: All errors of its routes and of those files, with their locations in the configuration.
    package convenience init(_ configuration: Configuration) throws(ConfigurationErrors) {
        try self.init(configuration, places: MetricIndices(configuration))
    }

    /// Creates the snapshot.
    ///
    /// - Parameters:
    ///   - places: The metric indices of its routes and upstreams.
    ///   - counting: How results of rules are counted. `nil` counts none.
    ///   - sign: A replacement of the assertion key's signature. If `nil`, the key signs.
    init(
        _ configuration: Configuration, places: MetricIndices, counting: RuleCounting? = nil,
        sign: AssertionSigner.Sign? = nil
    ) throws(ConfigurationErrors) {
        if let conflict = configuration.storeConflict { throw ConfigurationErrors([conflict]) }
        var builder = try SnapshotBuilder(configuration, places: places, counting: counting)
        upstreams = builder.readUpstreams()
        rules = builder.readRules()
        let hasAccounts = configuration.accounts != nil
        let transmitters = configuration.accounts?.transmitters ?? []
        (verifiers, keySources) = VerifierTable.make(
            of: configuration.identity, transmitters: transmitters, hasSessions: hasAccounts)
        self.transmitters = transmitters.compactMap { [keySources] transmitter in
            EventTransmitter(transmitter, configuration.identity, sources: keySources)
        }
        appVerifier = AppCheckVerifier(
            configuration.identity, sources: keySources, field: configuration.headers.appField, places: places)
        let plans = builder.readPlans(rules, upstreams, appVerifier)
        (assertionKeys, sessionKeyFiles) = builder.readSigningKeys()
        flowProviders = builder.readFlowProviders()
        signInPage = builder.readSignInPage()
        listeners = builder.readListeners()
        let (identity, credentials) = (configuration.identity, configuration.identity.credentials)
        let locator = CredentialLocator(
            header: credentials.header, cookie: credentials.cookie, previousCookies: credentials.previousCookies)
        let hasRules = plans.contains { $0.policy.rules != nil }
        outgoing = builder.readOutgoingHead(locator, assertionKeys, keepsVariable: hasRules, sign: sign)
        decisionListener = builder.readDecisionListener()
        let signer = configuration.headers.assertion.flatMap { [assertionKeys] settings in
            assertionKeys.map { IntrospectionSigner(key: $0.current, issuer: settings.issuer) }
        }
        decisions = configuration.decisions.map { [outgoing] section in
            DecisionSettings(
                section, hygiene: outgoing.hygiene, headers: configuration.headers,
                credentials: (credentials.header, credentials.cookie), signer: signer)
        }
        introspectionProvider = builder.opaqueProvider(for: [])
        warnings = try builder.warnings()
        configurationHash = builder.configurationHash
        pipeline = try PipelineSettings(
            proxies: builder.proxies, routes: builder.routes, plans: plans, locator: locator,
            crossSite: CrossSiteCheck(origins: configuration.accounts?.origins ?? []),
            builtin: builder.builtinEndpoints(publishesKeys: assertionKeys != nil, signInPage?.assets ?? []),
            maxStaleness: configuration.revocation.maxStaleness.nanoseconds,
            firebaseHosts: builder.firebaseHosts())
        sessionCookies = SessionCookieLines(
            name: credentials.cookie ?? "", previousNames: credentials.previousCookies,
            sameSite: configuration.accounts?.sessionSameSite ?? .lax)
        sessionTerms = configuration.accounts.map { SessionTerms($0) }
        sessionRenewal = configuration.accounts.flatMap { SessionRenewal(SessionTerms($0)) }
        sessionSet = hasAccounts ? keySources.count : nil
        acrValues = identity.providers.reduce(into: [:]) { values, provider in
            values[provider.id] = provider.idTokens?.secondFactor.challengeParameter
        }
        opaqueProviders = builder.opaqueProviders
        page = configuration.accounts?.demoPage.map { StaticResponse($0) }
        additions = ResponseFieldPolicy(common: configuration.responseHeaders)
        limits = ConnectionLimits(configuration.limits)
        tracing = TraceSettings(configuration.telemetry)
        clockSkew = identity.clockSkew.components.seconds
        strictTimeout = configuration.revocation.strictTimeout.nanoseconds
        deniesUnlinked = configuration.accounts?.unlinked == .deny
        identityShape = IdentityShape(
            configuration, keepsVariable: hasRules, assertionKeyID: assertionKeys?.current.keyID,
            sessionKeyIDs: (sessionKeyFiles.map { [$0.current.keyID] + $0.previous.map(\.keyID) } ?? [])
                + flowProviders.compactMap(\.keyID))
    }
}
