import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Routing

extension RoutePolicy {
    init(_ route: Configuration.Route) {
        self.init()
        authentication =
            switch route.auth {
            case .required: .required
            case .optional: .optional
            case .none: .none
            }
        firebase = route.firebase.map(FirebaseRequirement.init)
        providers = route.providers
        recentSignIn = route.recentSignIn?.components.seconds
        needsAuthentication = route.signInProof == .authenticated
        secondFactor = route.secondFactor
        scopes = route.scopes
        revocation =
            switch route.revocation {
            case .replicated: .replicated
            case .strict: .strict
            case .off: .off
            }
        allowsOnStoreFailure = route.onStoreFailure == .allow
    }
}

extension AppCheckPlan {
    /// Creates the plan. `nil` if the route does not check App Check tokens.
    ///
    /// Without a verifier, the plan permits no app.
    init?(_ route: Configuration.Route, _ verifier: AppCheckVerifier?) {
        guard route.appCheck != .off else { return nil }
        let apps = verifier?.apps ?? []
        self.init(
            enforces: route.appCheck == .enforce,
            permitted: route.apps.map { names in apps.filter { names.contains($0.name) } },
            consumes: route.consumesAppToken)
    }
}

extension AppCheckVerifier {
    /// Creates the verifier. `nil` if App Check is not configured.
    ///
    /// - Parameters:
    ///   - sources: The sources of all key sets.
    ///   - field: The name of the field for upstreams. `nil` if it is not sent.
    init?(
        _ identity: Configuration.Identity, sources: [KeySetSource], field: String?, places: MetricIndices
    ) {
        guard let firebase = identity.firebase, let appCheck = firebase.appCheck,
            let keySet = sources.firstIndex(of: KeySetSource(appCheck))
        else { return nil }
        self.init(
            issuer: appCheck.issuer,
            audiences: ["projects/\(appCheck.projectNumber)", "projects/\(firebase.project)"],
            apps: appCheck.apps.enumerated().map { index, app in
                AppCheckApp(
                    id: app.id, name: app.name, index: index, counterPlace: places.app(app.name), field: field)
            },
            keySet: keySet, clockSkew: identity.clockSkew.components.seconds)
    }
}

extension Configuration.IdentityHeaders {
    /// The name of the field with the App ID. `nil` if the configuration defines the field itself.
    var appField: String? {
        let name = prefix + "App"
        return extra.contains { FieldName.normalized($0.name) == FieldName.normalized(name) } ? nil : name
    }
}

extension RouteDefinition {
    init(_ route: Configuration.Route) {
        self.init(
            pattern: route.path, hosts: route.hosts, methods: route.methods, mergeSlashes: route.mergeSlashes,
            encodedSlashes: route.encodedSlashes == .keep ? .keep : .reject,
            caseInsensitive: route.caseInsensitive, stripPrefix: route.stripPrefix, rewrite: route.rewrite?.path)
    }
}

extension UpgradePlan {
    /// Creates the plan. `nil` if the route permits no upgrades.
    init?(_ route: Configuration.Route) {
        guard !route.upgrade.isEmpty else { return nil }
        self.init(names: route.upgrade.map { Array($0.utf8) })
    }
}

extension CredentialSources {
    /// Creates the sources. `nil` if the route has no additional ones.
    convenience init?(_ route: Configuration.Route) {
        guard route.tokenQuery != nil || route.tokenProtocol else { return nil }
        self.init(parameter: route.tokenQuery, takesProtocol: route.tokenProtocol)
    }
}

extension StreamBounds {
    /// Creates the limits from the route, with defaults from `limits`.
    init(_ limits: Configuration.Limits, _ route: Configuration.Route) {
        let grace = (route.streamGrace ?? limits.streamGrace).components
        self.init(
            maximum: (route.maxStream ?? limits.maxStream).nanoseconds,
            grace: grace.seconds + (grace.attoseconds > 0 ? 1 : 0),
            idle: (route.streamIdleTimeout ?? limits.streamIdleTimeout).nanoseconds)
    }
}

extension CORSPolicy {
    /// Creates the policy. `methods` are the methods of the route, empty if all are accepted.
    convenience init(_ cors: Configuration.CORS, methods: [String]) {
        var methods = cors.methods ?? methods
        if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
        self.init(
            origins: cors.origins, methods: methods, headers: cors.headers, expose: cors.expose,
            credentials: cors.credentials, maximumAge: cors.maximumAge.components.seconds)
    }
}

extension ResponseFieldPolicy {
    /// Creates the policy. `nil` if responses are not changed.
    ///
    /// - Parameters:
    ///   - common: The fields of all routes.
    ///   - headers: The fields of this route, which take precedence.
    convenience init?(
        cors: CORSPolicy? = nil, common: Configuration.ResponseHeaders,
        _ headers: Configuration.ResponseHeaders = Configuration.ResponseHeaders()
    ) {
        let own = Set((headers.set.map(\.name) + headers.remove).map(FieldName.normalized))
        let set = common.set.filter { !own.contains(FieldName.normalized($0.name)) } + headers.set
        self.init(cors: cors, set: set.map { ($0.name, $0.value) }, removed: common.remove + headers.remove)
    }
}

extension ConfigurationError {
    /// Returns the error of a route that checks App Check tokens without a configured verifier.
    static func unverifiedApps(of route: Configuration.Route) -> ConfigurationError {
        ConfigurationError(
            location: route.location,
            what: "the route checks App Check tokens, but identity.firebase.app_check is not configured",
            remedy: "add identity.firebase.app_check with project_number and apps, or remove app_check")
    }

    /// Creates an error from a problem of the route table, at the route's location in the file.
    init(_ problem: RouteProblem, at location: SourceLocation, routes: [Configuration.Route]) {
        let parts = problem.description.split(separator: ";", maxSplits: 1)
        var what = String(parts.first ?? "")
        // The problem refers to routes by index; the message refers to them by line.
        if case .equal(let other, _, _) = problem.reason, routes.indices.contains(other) {
            what = what.replacing("route \(other)", with: "the route at line \(routes[other].location.line)")
        }
        if case .shadowed(let others) = problem.reason {
            let lines = others.prefix(5).compactMap { routes.indices.contains($0) ? routes[$0].location.line : nil }
            what = what.replacing("\(others)", with: "at lines \(lines.map(String.init).joined(separator: ", "))")
        }
        let remedy = parts.count > 1 ? parts[1].drop { $0 == " " } : "correct the route"
        self.init(location: location, what: what, remedy: String(remedy))
    }
}
