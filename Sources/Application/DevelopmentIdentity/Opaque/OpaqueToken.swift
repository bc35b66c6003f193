/// An opaque access token of an endpoint of the development provider, and the endpoint's response about it.
///
///     let token = OpaqueToken.gitHub(for: .linus, now: now).setting("scopes", to: ["repo"])
///     try provider.add(token)                       // from now on the endpoint responds 200 with token.response
///     provider.revoke(token)                        // and now as for an unknown token
///     provider.calls(about: token)
///
/// The response is sent unchanged, even if it is contradictory, for example `active` with an expired `exp`.
public struct OpaqueToken: Sendable, Hashable {
    /// The endpoint of the token.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// ``DevelopmentProvider/Endpoint/introspection`` (RFC 7662).
        case introspected = "oauth"
        /// ``DevelopmentProvider/Endpoint/gitHubTokenCheck``.
        case gitHub = "github.com"
        /// ``DevelopmentProvider/Endpoint/facebookDebugToken``.
        case facebook = "facebook.com"
    }

    /// The endpoint of the token.
    public let kind: Kind
    /// The token.
    public var text: String
    /// The application that it was issued to. GitHub and Facebook do not inform other applications.
    public var clientID: String
    /// The endpoint's response.
    public var response: JSONObject

    /// Creates a token with any response.
    public init(_ kind: Kind, text: String, clientID: String? = nil, response: JSONObject) {
        self.kind = kind
        self.text = text
        self.clientID = clientID ?? DevelopmentClient.demo(for: kind).id
        self.response = response
    }

    /// Returns a copy with a member of the response set. A path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> OpaqueToken {
        var copy = self
        copy.response.set(path, to: value)
        return copy
    }

    /// Returns a copy without a member of the response. A path of several names leads into objects.
    public func removing(_ path: String...) -> OpaqueToken {
        var copy = self
        copy.response.set(path, to: nil)
        return copy
    }

    static func random(_ count: Int) -> String {
        String(
            (0..<count).compactMap { _ in
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".randomElement()
            })
    }
}
