import Authentication
import GatewayCore

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
    init(_ body: CallBody, takesFirebase: Bool = false) throws(AccountDenial) {
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

/// A proof as `sign-in` and `link` take it: a provider's credential, or a pending token.
enum ProvenBody: Sendable {
    case credential(ProofRequest, provider: String)
    case pending(PendingToken)

    static let members = ProofRequest.members + ["pending_token"]

    /// - Parameter others: what else goes only with a provider's credential.
    init(_ body: CallBody, _ parts: AccountParts, others: [String] = []) throws(AccountDenial) {
        guard let text = try body.text("pending_token", atMost: PendingToken.maximumSize) else {
            let request = try ProofRequest(body)
            guard let provider = request.provider else { throw .malformed("Send \"provider\".") }
            self = .credential(request, provider: provider)
            return
        }
        for name in ProofRequest.members + others where body.has(name) {
            throw .malformed("Send either \"pending_token\" or \"\(name)\".")
        }
        self = .pending(try PendingTokens(keys: try parts.keys).read(text, now: parts.clock.now()))
    }
}
