import Authentication
import Authorization
import Forwarding
import GatewayConfiguration
import GatewayCore
import HTTPServer
import OutboundHTTP
import Routing

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
    }
}

extension RoutePolicy {
    init(_ route: Configuration.Route) {
        self.init()
        authentication =
            switch route.auth {
            case .required: .required
            case .optional: .optional
            case .none: .none
            }
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

extension Configuration.Provider.SecondFactor {
    /// What to request of the provider: `acr_values="..."` (RFC 9470 section 3), and for an authentication context of Microsoft Entra also
    /// `claims="..."`, the value of its parameter `claims` in base64. `nil` where no context is a proof.
    ///
    /// Values that a quoted string would have to escape are left out.
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

extension RouteDefinition {
    init(_ route: Configuration.Route) {
        self.init(
            pattern: route.path, hosts: route.hosts, methods: route.methods, mergeSlashes: route.mergeSlashes,
            encodedSlashes: route.encodedSlashes == .keep ? .keep : .reject,
            caseInsensitive: route.caseInsensitive, stripPrefix: route.stripPrefix, rewrite: route.rewrite?.path)
    }
}

extension OutgoingHead {
    convenience init(
        _ headers: Configuration.IdentityHeaders, extra: [IdentityRenderer.Extra], keepsVariableForRules: Bool,
        locator: CredentialLocator, assertion: AssertionSigner?, acceptsTrace: Bool, proxies: TrustedProxies
    ) {
        // The upstream has the client's address from the gateway.
        var removed = headers.removeInbound
        removed.names += proxies.singleFields
        self.init(
            hygiene: HeaderHygiene(
                prefix: headers.prefix, extra: headers.extra.map(\.name), removed: removed),
            identity: IdentityRenderer(
                prefix: headers.prefix, sendsVariable: headers.variable, extra: extra, assertion: assertion,
                keepsVariableForRules: keepsVariableForRules),
            locator: locator, forwardsCredential: headers.forwardCredential, acceptsTrace: acceptsTrace)
    }
}

extension ConfigurationError {
    /// A problem that the route table found, told at the route's place in the file.
    init(_ problem: RouteProblem, at location: SourceLocation, routes: [Configuration.Route]) {
        let parts = problem.description.split(separator: ";", maxSplits: 1)
        var what = String(parts.first ?? "")
        // Other routes are named by index there; people look for lines.
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
