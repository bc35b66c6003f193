import Accounts
package import Authentication
import Authorization
package import Forwarding
package import GatewayConfiguration
package import GatewayCore
package import HTTPServer
import HTTPWire
package import JOSE
import NIOCore
package import RequestPipeline
package import Routing
import SecurityRules

/// Routes, verifiers, upstreams and headers of one configuration: immutable, built and checked off the request path.
///
/// Each worker holds one; a request sees one.
package final class Snapshot: Sendable {
    /// What the pipeline decides by.
    package let pipeline: PipelineSettings
    package var routes: RouteTable { pipeline.routes }
    /// By route index.
    package var plans: [RoutePlan] { pipeline.plans }
    let upstreams: [UpstreamSettings]
    package var locator: CredentialLocator { pipeline.locator }
    /// The session cookie's name; nil: none counts.
    let cookieName: String?
    package let verifiers: VerifierTable
    /// The key sets' sources; a verifier names its set by the place here.
    package let keySources: [KeySetSource]
    /// Where workers keep the keys of the gateway's own session cookies, which are fetched from nowhere; nil: there are no such cookies.
    package let sessionSet: Int?
    /// The challenge parameters `acr_values` (RFC 9470 section 3) and `claims` of the providers whose entries list such values, by id.
    package let acrValues: [String: String]
    /// Who can be asked about opaque tokens, in the order of the configuration.
    package let opaqueProviders: [Configuration.Provider]
    package let outgoing: OutgoingHead
    /// The demo page; `nil`: it is not served.
    let page: ReadyAnswer?
    /// The gateway's own accounts; nil: there are none.
    package let accounts: Configuration.Accounts?
    /// The keys of assertions; nil: there are none.
    let assertionKeys: AssertionKeys?
    /// The keys of session cookies that the configuration names; nil: it names none, and the store keeps them.
    package let sessionKeyFiles: (current: SigningKey, previous: [SigningKey])?
    /// What answers have besides to requests whose route is not known; nil: nothing.
    let additions: AnswerAdditions?
    /// The key that signs assertions, by its `kid`; nil: none does.
    package let assertionKeyID: String?
    /// The key that signs session cookies, by its `kid`; nil: none does, or the store keeps it.
    package var sessionKeyID: String? { sessionKeyFiles?.current.keyID }
    /// What is answered under `/.gatehouse/`, each as method and path; empty: nothing is.
    package var ownCalls: [String] {
        guard let builtin = pipeline.builtin else { return [] }
        let calls = builtin.calls.map { "\($0.endpoint.method == .get ? "GET" : "POST") \($0.endpoint.path)" }
        return calls + ["GET /.gatehouse/jwks.json"]
    }
    /// What loads and should nevertheless be known, besides the configuration's own warnings.
    package let warnings: [ConfigurationWarning]
    /// What each listener serves with, in the order of the configuration.
    let fronts: [ListenerFront]
    package let limits: ConnectionLimits
    let connectionLimit: Int
    package let clockSkew: Int64
    package let maxStaleness: UInt64
    /// How long a request waits for the store's own answer, in nanoseconds.
    let strictTimeout: UInt64

    /// The rules of every route that authenticates; nil: there are none.
    let rules: Ruleset?
    /// How many `allow` statements the rules file has; nil: there is no file.
    package var ruleCount: Int? { rules?.rules.count }

    /// Whether any route may ask the store itself on a request.
    var asksStore: Bool {
        plans.contains { plan in
            plan.policy.revocation == .strict || plan.policy.recentSignIn != nil
                || plan.policy.rules?.needsSignInRecord == true
        }
    }

    /// Whether a provider's own token may not pass whose identity belongs to no account.
    package let deniesUnlinked: Bool

    /// What verified tokens, and what was rendered of them, depend on.
    let identityShape: IdentityShape

    /// How many key sets a worker keeps.
    package var keySetCount: Int { keySources.count + (sessionSet == nil ? 0 : 1) }

    /// Builds the snapshot of a checked configuration.
    ///
    /// Reads the rules file, the key files of the assertion and of session cookies, and the listeners' certificates, where there are any.
    ///
    /// - Throws: all that is wrong with its routes, and with those files, each at its place in the configuration.
    package convenience init(_ configuration: Configuration) throws(ConfigurationErrors) {
        try self.init(configuration, places: CounterPlaces(configuration), sign: nil)
    }

    /// - Parameters:
    ///   - places: where its routes and upstreams are counted.
    ///   - sign: signs assertions in the place of the key; nil: the key does.
    init(
        _ configuration: Configuration, places: CounterPlaces, sign: AssertionSigner.Sign? = nil
    ) throws(ConfigurationErrors) {
        let names = configuration.upstreams.map(\.name)
        let routes = try Self.table(of: configuration)
        var upstreamReader = UpstreamReader()
        upstreams = configuration.upstreams.map { upstreamReader.read($0, counterPlace: places.upstream($0.name)) }
        let upstreams = upstreams
        opaqueProviders = configuration.identity.providers.filter { $0.opaqueTokens != nil }
        acrValues = configuration.identity.providers.reduce(into: [:]) { values, provider in
            values[provider.id] = provider.idTokens?.secondFactor.challengeParameter
        }
        let opaqueIDs = opaqueProviders.map(\.id)
        var ruleReader = RuleReader()
        let rules = ruleReader.read(configuration.rules)
        ruleReader.warnOfUnused(configuration.rules, configuration.routes)
        let everyRoute = rules.map { RouteRules([$0]) }
        let patterns = routes.routes.map(\.pattern)
        let plans = zip(configuration.routes, patterns).map { route, pattern in
            let upstream = names.firstIndex(of: route.upstream) ?? 0
            var policy = RoutePolicy(route)
            policy.rules = ruleReader.read(route, pattern, after: everyRoute)
            return RoutePlan(
                pattern: route.path, counterPlace: places.route(route.path), policy: policy, upstream: upstream,
                responseTimeout: route.responseTimeout?.nanoseconds ?? upstreams[upstream].responseTimeout,
                bodyLimit: route.bodySize ?? configuration.limits.bodySize,
                opaqueProvider: Self.opaqueProvider(for: route.providers, among: opaqueIDs),
                allowsCrossSite: route.insecureNoCSRF,
                additions: AnswerAdditions(
                    cors: route.cors.map { CORSPolicy($0, methods: route.methods) },
                    common: configuration.responseHeaders, route.responseHeaders),
                rates: RouteRates(route), host: route.rewrite?.host.map { Array($0.utf8) }, upgrade: UpgradePlan(route),
                places: CredentialPlaces(route), stream: StreamBounds(configuration.limits, route))
        }
        additions = AnswerAdditions(common: configuration.responseHeaders)
        let credentials = configuration.identity.credentials
        cookieName = credentials.cookie
        let locator = CredentialLocator(header: credentials.header, cookie: credentials.cookie)
        (verifiers, keySources) = VerifierTable.make(
            of: configuration.identity, hasSessions: configuration.accounts != nil)
        sessionSet = configuration.accounts == nil ? nil : keySources.count
        var reader = SigningKeyReader()
        let keys = reader.read(SigningKeyFiles(configuration.headers.assertion)).map(AssertionKeys.init)
        sessionKeyFiles = reader.read(SigningKeyFiles(configuration.accounts))
        reader.keepApart(
            sessionKeyFiles?.current, keys?.current,
            at: configuration.accounts?.location ?? SourceLocation(origin: "accounts"))
        let proxies = TrustedProxies(configuration.trustedProxies)
        var fronts = ListenerFrontReader(proxies: proxies, now: GatewayClock.system.now())
        self.fronts = configuration.listen.compactMap { fronts.read($0) }
        let extra = configuration.headers.extra.compactMap { ruleReader.read($0) }
        let problems = upstreamReader.errors + reader.errors + ruleReader.errors + fronts.errors
        guard problems.isEmpty else { throw ConfigurationErrors(problems) }
        deniesUnlinked = configuration.accounts?.unlinked == .deny
        warnings =
            upstreamReader.warnings + reader.warnings + ruleReader.warnings + fronts.warnings
            + RouteConflicts(configuration, patterns).warnings
        self.rules = rules
        accounts = configuration.accounts
        assertionKeys = keys
        page = configuration.accounts?.demoPage.map { ReadyAnswer($0) }
        pipeline = PipelineSettings(
            proxies: proxies, routes: routes, plans: plans, locator: locator,
            crossSite: CrossSiteCheck(origins: configuration.accounts?.origins ?? []),
            builtin: BuiltinEndpoints(
                configuration.accounts, publishesKeys: keys != nil,
                opaqueProvider: Self.opaqueProvider(for: [], among: opaqueIDs),
                responseHeaders: configuration.responseHeaders),
            maxStaleness: configuration.revocation.maxStaleness.nanoseconds)
        assertionKeyID = keys?.current.keyID
        outgoing = OutgoingHead(
            configuration.headers, extra: extra, keepsVariableForRules: plans.contains { $0.policy.rules != nil },
            locator: locator,
            assertion: AssertionSigner(keys, configuration.headers, upstreams: names, sign: sign),
            acceptsTrace: configuration.traceContext == .accept, proxies: proxies)
        limits = ConnectionLimits(configuration.limits)
        connectionLimit = configuration.limits.connections
        clockSkew = configuration.identity.clockSkew.components.seconds
        maxStaleness = configuration.revocation.maxStaleness.nanoseconds
        strictTimeout = configuration.revocation.strictTimeout.nanoseconds
        identityShape = IdentityShape(
            configuration, keepsVariable: plans.contains { $0.policy.rules != nil }, assertionKeyID: assertionKeyID,
            sessionKeyIDs: sessionKeyFiles.map { [$0.current.keyID] + $0.previous.map(\.keyID) } ?? [])
    }

    /// The one that the route names, else the only one there is.
    static func opaqueProvider(for named: [String], among ids: [String]) -> Int? {
        let candidates = ids.indices.filter { index in named.contains { $0.utf8.elementsEqual(ids[index].utf8) } }
        if candidates.count == 1 { return candidates[0] }
        return ids.count == 1 ? 0 : nil
    }

    private static func table(of configuration: Configuration) throws(ConfigurationErrors) -> RouteTable {
        do throws(RouteTableError) {
            return try RouteTable(configuration.routes.map(RouteDefinition.init))
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
