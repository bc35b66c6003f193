/// A family of proxies that describe the original request in the same way. Each has an endpoint of its own, which reads
/// no fields of another family.
package enum ProxyFamily: Sendable, CaseIterable {
    /// `X-Forwarded-Method`, `-Uri`, `-Host`, `-Proto` and `-For`: nginx, Caddy, Traefik, HAProxy.
    case forward
    /// `X-Original-URL`, `X-Original-Method` and `X-Forwarded-For`: ingress-nginx.
    case original
    /// The request line after a prefix, `Host`, `X-Forwarded-Proto` and `X-Forwarded-For`: Envoy, Istio.
    case envoy

    /// The name in the access log.
    package var name: StaticString {
        switch self {
        case .forward: "forward_auth"
        case .original: "original_url"
        case .envoy: "envoy"
        }
    }

    /// The path of the endpoint. For Envoy, the original path follows.
    package var path: StaticString {
        switch self {
        case .forward: "/authz/forward"
        case .original: "/authz/original"
        case .envoy: "/authz/envoy"
        }
    }
}

/// An endpoint of the listener for decisions.
package enum DecisionEndpoint: Equatable, Sendable {
    case proxy(ProxyFamily)
    /// `envoy.service.auth.v3.Authorization/Check` over gRPC: Envoy, Istio.
    case check
    case introspection
    case metadata
    /// The keys of signed introspection responses.
    case keys
    case decide

    /// The endpoint with this path, without its query. `nil` if absent.
    package init?(_ path: UnsafeRawBufferPointer) {
        for family in [ProxyFamily.forward, .original] where Self.equals(path, family.path) {
            self = .proxy(family)
            return
        }
        let prefix = ProxyFamily.envoy.path.utf8CodeUnitCount
        if path.count > prefix, path[prefix] == UInt8(ascii: "/"),
            Self.equals(UnsafeRawBufferPointer(rebasing: path[..<prefix]), ProxyFamily.envoy.path)
        {
            self = .proxy(.envoy)
        } else if Self.equals(path, Self.checkPath) {
            self = .check
        } else if Self.equals(path, Self.introspectionPath) {
            self = .introspection
        } else if Self.equals(path, Self.metadataPath) {
            self = .metadata
        } else if Self.equals(path, Self.keysPath) {
            self = .keys
        } else if Self.equals(path, Self.decidePath) {
            self = .decide
        } else {
            return nil
        }
    }

    package static let checkPath: StaticString = "/envoy.service.auth.v3.Authorization/Check"
    package static let introspectionPath: StaticString = "/introspect"
    /// RFC 8414 section 3.
    package static let metadataPath: StaticString = "/.well-known/oauth-authorization-server"
    /// The same as on the public listener.
    package static let keysPath: StaticString = "/.gatehouse/jwks.json"
    package static let decidePath: StaticString = "/decide"

    /// The name in the access log.
    package var name: StaticString {
        switch self {
        case .proxy(let family): family.name
        case .check: "envoy_grpc"
        case .introspection: "introspection"
        case .metadata: "metadata"
        case .keys: "keys"
        case .decide: "decide"
        }
    }

    /// Whether every peer that may connect may use it. The others require a trusted peer.
    package var isForStrangers: Bool {
        switch self {
        case .introspection, .metadata, .keys: true
        case .proxy, .check, .decide: false
        }
    }

    private static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
