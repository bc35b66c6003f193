import Authentication

/// The credential that a call brings as proof of who somebody is.
struct ProofRequest: Sendable {
    enum Credential: Sendable {
        case idToken(String)
        case accessToken(String)
    }

    /// The members of a body that make up a proof.
    static let members = ["provider", "id_token", "access_token", "nonce"]
    /// The longest id of a provider, and the longest nonce that is looked at, in bytes.
    private static let providerLimit = 128
    private static let nonceLimit = 256

    /// Whose it is; nil: Firebase's.
    let provider: String?
    let credential: Credential
    /// The raw nonce.
    let nonce: String?

    /// - Parameter takesFirebase: whether an ID token without a provider is one of Firebase.
    init(_ body: CallBody, takesFirebase: Bool = false) throws(Refusal) {
        provider = try body.text("provider", atMost: Self.providerLimit)
        let idToken = try body.text("id_token", atMost: Authenticator.maximumTokenSize)
        let accessToken = try body.text("access_token", atMost: OpaqueAuthenticator.maximumTokenSize)
        nonce = try body.text("nonce", atMost: Self.nonceLimit)
        switch (idToken, accessToken) {
        case (let token?, nil): credential = .idToken(token)
        case (nil, let token?): credential = .accessToken(token)
        default: throw .malformed("Send either \"id_token\" or \"access_token\".")
        }
        guard provider == nil else { return }
        guard takesFirebase, accessToken == nil, nonce == nil else { throw .malformed("Send \"provider\".") }
    }
}
