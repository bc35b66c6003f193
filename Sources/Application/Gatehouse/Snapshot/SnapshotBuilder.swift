import Accounts
import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import JOSE
import OutboundHTTP
import RequestPipeline
import Routing
import SecurityRules
import TextCoding

/// The construction of a snapshot's parts. It reads the configured files and collects their errors.
struct SnapshotBuilder {
    private let configuration: Configuration
    private let places: MetricIndices
    let routes: RouteTable
    let proxies: TrustedProxies
    /// The providers with token introspection, in the order of the configuration.
    let opaqueProviders: [Configuration.Provider]
    private var rules: RuleReader
    private var upstreams = UpstreamReader()
    private var signingKeys = SigningKeyReader()
    private var pages = SignInPageReader()
    private var listeners: ListenerSettingsReader
    private var routeErrors: [ConfigurationError] = []

    /// Creates the builder. `places` has the metric indices of the configuration's routes and upstreams.
    init(
        _ configuration: Configuration, places: MetricIndices, counting: RuleCounting? = nil
    ) throws(ConfigurationErrors) {
        self.configuration = configuration
        rules = RuleReader(counting: counting)
        self.places = places
        routes = try RouteTable(of: configuration)
        proxies = TrustedProxies(configuration.trustedProxies)
        opaqueProviders = configuration.identity.providers.filter { $0.opaqueTokens != nil }
        listeners = ListenerSettingsReader(proxies: proxies, now: GatewayClock.system.now())
    }

    /// The SHA-256 of the files that describe decisions: the configuration, then the rules file, as written.
    var configurationHash: String {
        HexDigits.text(of: SHA256Hasher()?.hash(configuration.digest + rules.fileDigest)?.bytes ?? [])
    }

    /// Returns the warnings in addition to the configuration's own. Throws all errors of the files that were read, with
    /// their locations in the configuration.
    func warnings() throws(ConfigurationErrors) -> [ConfigurationWarning] {
        let errors =
            upstreams.errors + signingKeys.errors + pages.errors + rules.errors + listeners.errors
            + routeErrors
        guard errors.isEmpty else { throw ConfigurationErrors(errors) }
        return upstreams.warnings + signingKeys.warnings + rules.warnings + listeners.warnings
            + RouteConflicts(configuration, routes.routes.map(\.pattern)).warnings
    }

    mutating func readUpstreams() -> [UpstreamSettings] {
        configuration.upstreams.map { upstreams.read($0, counterPlace: places.upstream($0.name)) }
    }

    mutating func readListeners() -> [ListenerSettings] {
        configuration.listen.compactMap { listeners.read($0) }
    }

    mutating func readDecisionListener() -> ListenerSettings? {
        guard let decisions = configuration.decisions else { return nil }
        let admission = PeerAdmission(
            trusted: TrustedProxies(decisions.trust), admitsStrangers: decisions.introspection != nil)
        return listeners.read(decisions.listener, admitting: admission)
    }

    /// Reads the rules of all routes with authentication. `nil` without a rules file.
    mutating func readRules() -> Ruleset? {
        let ruleset = rules.read(configuration.rules)
        rules.warnOfUnused(configuration.rules, configuration.routes)
        return ruleset
    }

    /// Reads the assertion keys and the configured session keys. `nil` if not configured.
    mutating func readSigningKeys() -> (assertion: AssertionKeys?, session: SigningKeyReader.Keys?) {
        let assertion = signingKeys.read(SigningKeyFiles(configuration.headers.assertion)).map(AssertionKeys.init)
        let session = signingKeys.read(SigningKeyFiles(configuration.accounts))
        signingKeys.keepApart(
            session?.current, assertion?.current,
            at: configuration.accounts?.location ?? SourceLocation(origin: "accounts"))
        return (assertion, session)
    }

    /// Returns the providers with an authorization-code flow.
    mutating func readFlowProviders() -> [FlowProvider] {
        configuration.flowProviders.compactMap { provider in
            FlowProvider(provider, key: signingKeys.read(SigningKeyFiles(provider))?.current)
        }
    }

    /// Returns the plan of each route, by index.
    mutating func readPlans(
        _ ruleset: Ruleset?, _ upstreams: [UpstreamSettings], _ apps: AppCheckVerifier?
    ) -> [RoutePlan] {
        let everyRoute = ruleset.map { RouteRules([$0]) }
        return zip(configuration.routes, routes.routes).map { route, definition in
            let upstream = configuration.upstreams.firstIndex { $0.name == route.upstream }
            var policy = RoutePolicy(route)
            policy.rules = rules.read(route, definition.pattern, after: everyRoute)
            if route.appCheck != .off, apps == nil { routeErrors.append(.unverifiedApps(of: route)) }
            return RoutePlan(
                pattern: route.path, counterPlace: places.route(route.path), policy: policy, upstream: upstream,
                responseTimeout: route.responseTimeout?.nanoseconds
                    ?? upstream.map { upstreams[$0].responseTimeout } ?? 0,
                bodyLimit: route.bodySize ?? configuration.limits.bodySize,
                opaqueProvider: opaqueProvider(for: route.providers),
                allowsCrossSite: route.insecureNoCSRF || route.isAuthHelper,
                appCheck: AppCheckPlan(route, apps), isThirdParty: route.isAuthHelper,
                additions: ResponseFieldPolicy(
                    cors: route.cors.map { CORSPolicy($0, methods: route.methods) },
                    common: route.isAuthHelper
                        ? configuration.responseHeaders.forAuthHelper : configuration.responseHeaders,
                    route.responseHeaders),
                rates: RouteRates(route), host: route.rewrite?.host.map { Array($0.utf8) }, upgrade: UpgradePlan(route),
                places: CredentialSources(route), stream: StreamBounds(configuration.limits, route))
        }
    }

    /// Returns the Firebase credentials that requests with a host may have. `nil` if no host restricts them.
    func firebaseHosts() throws(ConfigurationErrors) -> FirebaseHosts? {
        let hosts = configuration.identity.firebase?.hosts ?? []
        guard !hosts.isEmpty else { return nil }
        guard let map = HostMap(hosts.map(\.host)) else {
            throw ConfigurationErrors([
                ConfigurationError(
                    location: SourceLocation(origin: "identity.firebase.hosts"), what: "a key that is not a host",
                    remedy: "write names without a port, *.example.com in quotes, or '*'")
            ])
        }
        return FirebaseHosts(map, hosts.map { $0.restriction.map(FirebaseRequirement.init) })
    }

    /// Returns the sign-in page. `nil` if it is not served, or if one of its files is invalid.
    mutating func readSignInPage() -> SignInPage? {
        guard let page = configuration.accounts?.page, let origin = configuration.accounts?.publicURL else {
            return nil
        }
        return pages.read(page, origin: origin, providers: configuration.flowProviders.map(\.id))
    }

    /// Returns the builtin endpoints, with the files of the sign-in page. `nil` if there are no such endpoints.
    func builtinEndpoints(publishesKeys: Bool, _ assets: [PageAsset]) -> BuiltinEndpoints? {
        BuiltinEndpoints(
            configuration.accounts, flows: configuration.flowProviders.map(\.id),
            providers: configuration.identity.providers, assets: assets, publishesKeys: publishesKeys,
            opaqueProvider: opaqueProvider(for: []),
            responseHeaders: configuration.responseHeaders)
    }

    /// Returns the renderer of outgoing heads. `sign` replaces the assertion key's signature, if not `nil`.
    mutating func readOutgoingHead(
        _ locator: CredentialLocator, _ assertion: AssertionKeys?, keepsVariable: Bool, sign: AssertionSigner.Sign?
    ) -> OutgoingHead {
        let headers = configuration.headers
        // The upstream receives the client's address from the gateway.
        var removed = headers.removeInbound
        removed.names += proxies.singleFields
        let signer = AssertionSigner(assertion, headers, upstreams: configuration.upstreams.map(\.name), sign: sign)
        let appCheck = configuration.identity.firebase?.appCheck
        return OutgoingHead(
            hygiene: HeaderHygiene(
                prefix: headers.prefix, extra: headers.extra.map(\.name), removed: removed,
                appToken: appCheck.map { $0.forwardsToken ? .kept : .removed } ?? .ordinary),
            identity: IdentityRenderer(
                prefix: headers.prefix, sendsVariable: headers.variable,
                extra: headers.extra.compactMap { rules.read($0) }, assertion: signer,
                keepsVariableForRules: keepsVariable),
            locator: locator, forwardsCredential: headers.forwardCredential,
            forwardsAppToken: appCheck?.forwardsToken ?? false,
            acceptsTrace: configuration.traceContext == .accept)
    }

    /// Returns the provider that the route names, or the only one.
    func opaqueProvider(for named: [String]) -> Int? {
        let ids = opaqueProviders.map(\.id)
        let candidates = ids.indices.filter { index in named.contains { $0.utf8.elementsEqual(ids[index].utf8) } }
        if candidates.count == 1 { return candidates[0] }
        return ids.count == 1 ? 0 : nil
    }
}

extension RouteTable {
    fileprivate convenience init(of configuration: Configuration) throws(ConfigurationErrors) {
        do throws(RouteTableError) {
            try self.init(configuration.routes.map(RouteDefinition.init))
        } catch {
            throw ConfigurationErrors(
                error.problems.map { problem in
                    let location =
                        configuration.routes.indices.contains(problem.route)
                        ? configuration.routes[problem.route].location : SourceLocation(origin: "routes")
                    return ConfigurationError(problem, at: location, routes: configuration.routes)
                })
        }
    }
}

extension ConnectionLimits {
    init(_ limits: Configuration.Limits) {
        self.init()
        headSize = limits.headSize
        headFields = limits.headFields
        headTimeout = limits.headTimeout.nanoseconds
        handshakeTimeout = limits.handshakeTimeout.nanoseconds
        idleTimeout = limits.idleTimeout.nanoseconds
        bodyRate = UInt64(limits.bodyRate)
        requestTimeout = limits.requestTimeout?.nanoseconds
        http2.streams = limits.http2.streams
        http2.streamWindow = limits.http2.streamWindow
        http2.connectionWindow = limits.http2.connectionWindow
        http2.resets = limits.http2.resets
        http2.controlFrames = limits.http2.controlFrames
        http2.maximumAge = limits.http2.maxConnectionAge?.nanoseconds
        http2.keepAlive = limits.http2.pingInterval.map {
            KeepAlive.Limits(interval: $0.nanoseconds, timeout: limits.http2.pingTimeout.nanoseconds)
        }
    }
}

extension MetricIndices {
    /// Creates the indices of a configuration's routes and upstreams.
    convenience init(_ configuration: Configuration) {
        let names = Names(configuration)
        self.init(routes: names.routes, upstreams: names.upstreams)
    }
}

extension MetricIndices.Names {
    init(_ configuration: Configuration) {
        self.init(routes: configuration.routes.map(\.path), upstreams: configuration.upstreams.map(\.name))
    }
}

extension Configuration.Provider.SecondFactor {
    /// The challenge parameter: `acr_values="..."` (RFC 9470 section 3). For an authentication context of Microsoft
    /// Entra it also contains `claims="..."`, the value of its `claims` parameter in base64. `nil` without a configured
    /// context.
    ///
    /// Values that would have to be escaped in a quoted string are omitted.
    var challengeParameter: String? {
        let contexts = acrs.filter(Self.needsNoEscape)
        let values = acr.filter(Self.needsNoEscape) + contexts
        guard !values.isEmpty else { return nil }
        let parameter = "acr_values=\"\(values.joined(separator: " "))\""
        guard let context = contexts.first else { return parameter }
        let claims = #"{"id_token":{"acrs":{"essential":true,"value":"\#(context)"}}}"#
        return "\(parameter), claims=\"\(BasicCredentials.base64(Array(claims.utf8)))\""
    }

    private static func needsNoEscape(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension AssertionSigner {
    /// Returns `nil` if no assertion is configured.
    init?(_ keys: AssertionKeys?, _ headers: Configuration.IdentityHeaders, upstreams: [String], sign: Sign?) {
        guard let keys, let assertion = headers.assertion else { return nil }
        self.init(
            key: keys.current, field: headers.assertionName, issuer: assertion.issuer, audiences: upstreams,
            lifetime: assertion.lifetime.components.seconds, sign: sign)
    }
}
