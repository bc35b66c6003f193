/// An opaque access token that an endpoint of the development provider knows, and the response of that endpoint about it.
///
///     let token = OpaqueToken.gitHub(for: .linus, now: now).setting("scopes", to: ["repo"])
///     try provider.add(token)                       // from now on the endpoint responds 200 with token.response
///     provider.revoke(token)                        // and now as about one that it never knew
///     provider.calls(about: token)
///
/// The response is sent as it stands, even where it contradicts itself, such as `active` with an `exp` that is past.
public struct OpaqueToken: Sendable, Hashable {
    /// Which endpoint knows it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// ``DevelopmentProvider/Endpoint/introspection`` (RFC 7662).
        case introspected = "oauth"
        /// ``DevelopmentProvider/Endpoint/gitHubTokenCheck``.
        case gitHub = "github.com"
        /// ``DevelopmentProvider/Endpoint/facebookDebugToken``.
        case facebook = "facebook.com"
    }

    /// Which endpoint knows it.
    public let kind: Kind
    /// The token.
    public var text: String
    /// The application that it was issued to. GitHub and Facebook tell other applications nothing.
    public var clientID: String
    /// The endpoint's response.
    public var response: JSONObject

    /// A token of any response.
    public init(_ kind: Kind, text: String, clientID: String? = nil, response: JSONObject) {
        self.kind = kind
        self.text = text
        self.clientID = clientID ?? DevelopmentClient.demo(for: kind).id
        self.response = response
    }

    /// A copy with a member of the response set; a path of several names leads into objects.
    public func setting(_ path: String..., to value: JSON) -> OpaqueToken {
        var copy = self
        copy.response.set(path, to: value)
        return copy
    }

    /// A copy without a member of the response; a path of several names leads into objects.
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
