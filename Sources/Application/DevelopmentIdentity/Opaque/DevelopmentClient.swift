/// A client of an endpoint that tells about opaque tokens: who may ask.
public struct DevelopmentClient: Sendable, Hashable {
    /// How an OAuth client authenticates (RFC 6749 section 2.3.1).
    public enum Authentication: Sendable, Hashable, CaseIterable {
        /// HTTP Basic.
        case basic
        /// `client_id` and `client_secret` in the body.
        case post
    }

    /// The client's id.
    public var id: String
    /// Its secret.
    public var secret: String
    /// What the introspection endpoint takes; GitHub and Facebook have ways of their own.
    public var accepts: Set<Authentication>

    /// A client.
    public init(id: String, secret: String, accepts: Set<Authentication> = [.basic, .post]) {
        self.id = id
        self.secret = secret
        self.accepts = accepts
    }

    /// Who may ask unless another client is set (``DevelopmentProvider/setClient(_:for:)``).
    public static func demo(for kind: OpaqueToken.Kind) -> DevelopmentClient {
        switch kind {
        case .introspected: DevelopmentClient(id: "gatehouse", secret: "introspection-secret")
        case .gitHub: DevelopmentClient(id: "Iv1.gatehouse", secret: "github-secret")
        case .facebook: DevelopmentClient(id: IdentityProvider.facebook.demoAudience, secret: "facebook-secret")
        }
    }
}
