/// A client that may query an endpoint about opaque tokens.
public struct DevelopmentClient: Sendable, Hashable {
    /// The methods of client authentication (RFC 6749 section 2.3.1).
    public enum Authentication: Sendable, Hashable, CaseIterable {
        /// HTTP Basic.
        case basic
        /// `client_id` and `client_secret` in the body.
        case post
    }

    /// The client ID.
    public var id: String
    /// The client secret.
    public var secret: String
    /// The methods that the introspection endpoint accepts. GitHub and Facebook use their own.
    public var accepts: Set<Authentication>

    /// Creates a client.
    public init(id: String, secret: String, accepts: Set<Authentication> = [.basic, .post]) {
        self.id = id
        self.secret = secret
        self.accepts = accepts
    }

    /// Returns the default client, unless another one is set (``DevelopmentProvider/setClient(_:for:)``).
    public static func demo(for kind: OpaqueToken.Kind) -> DevelopmentClient {
        switch kind {
        case .introspected: DevelopmentClient(id: "gatehouse", secret: "introspection-secret")
        case .gitHub: DevelopmentClient(id: "Iv1.gatehouse", secret: "github-secret")
        case .facebook: DevelopmentClient(id: IdentityProvider.facebook.demoAudience, secret: "facebook-secret")
        }
    }
}
