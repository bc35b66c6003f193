package import HTTPWire

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
package enum DecisionEndpoint: CaseIterable, Equatable, Sendable {
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
        guard let endpoint = Self.allCases.first(where: { $0.matches(path) }) else { return nil }
        self = endpoint
    }

    /// All endpoints. A path of no other endpoint exists.
    package static let allCases =
        ProxyFamily.allCases.map(proxy) + [.check, .introspection, .metadata, .keys, .decide]

    package static let checkPath: StaticString = "/envoy.service.auth.v3.Authorization/Check"
    package static let introspectionPath: StaticString = "/introspect"
    /// RFC 8414 section 3.
    package static let metadataPath: StaticString = "/.well-known/oauth-authorization-server"
    /// The same as on the public listener.
    package static let keysPath: StaticString = "/.gatehouse/jwks.json"
    package static let decidePath: StaticString = "/decide"

    /// The path. For Envoy, the original path follows.
    package var path: StaticString {
        switch self {
        case .proxy(let family): family.path
        case .check: Self.checkPath
        case .introspection: Self.introspectionPath
        case .metadata: Self.metadataPath
        case .keys: Self.keysPath
        case .decide: Self.decidePath
        }
    }

    /// Whether another path follows the path of the endpoint.
    package var hasOriginalPath: Bool { self == .proxy(.envoy) }

    /// Returns whether a method is accepted. Proxies ask with any method, because some send the original one.
    package func accepts(_ method: HTTPWire.Method) -> Bool {
        methods?.contains { $0.method == method } != false
    }

    /// The accepted methods, as the value of `Allow`. `nil` if every method is accepted.
    package var allowedMethods: [UInt8]? {
        methods.map { Array($0.map(\.name).joined(separator: ", ").utf8) }
    }

    /// The accepted methods and their names. `nil` if every method is accepted.
    private var methods: [(method: HTTPWire.Method, name: String)]? {
        switch self {
        case .proxy: nil
        case .metadata, .keys: [(.get, "GET"), (.head, "HEAD")]
        case .check, .introspection, .decide: [(.post, "POST")]
        }
    }

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

    private func matches(_ target: UnsafeRawBufferPointer) -> Bool {
        let path = UnsafeRawBufferPointer(start: path.utf8Start, count: path.utf8CodeUnitCount)
        guard target.starts(with: path) else { return false }
        return hasOriginalPath
            ? target.count > path.count && target[path.count] == UInt8(ascii: "/") : target.count == path.count
    }
}
