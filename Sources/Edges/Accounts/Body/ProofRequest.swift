import Authentication
import GatewayCore

/// The credential that a call presents as proof of identity.
struct ProofRequest: Sendable {
    enum Credential: Sendable {
        case idToken(String)
        case accessToken(String)
    }

    /// The members of a body that form a proof.
    static let members = ["provider", "id_token", "access_token", "nonce"]
    /// The maximum sizes of a provider ID and of a nonce, in bytes.
    private static let providerLimit = 128
    private static let nonceLimit = 256

    /// The provider that issued the credential. `nil` for Firebase.
    let provider: String?
    let credential: Credential
    /// The raw nonce.
    let nonce: String?

    /// Parses the proof of a body. If `takesFirebase`, an ID token without a provider is accepted as a Firebase token.
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

/// The proof of `sign-in` and `link`: a provider's credential, a pending token or the code of an app's flow.
enum ProvenBody: Sendable {
    case credential(ProofRequest, provider: String)
    case pending(PendingToken)
    case code(AppCode)

    private static let pendingMember = "pending_token"
    static let members = ProofRequest.members + [pendingMember] + AppCode.members

    /// Parses the proof of a body. `others` are further members that are accepted only with a provider's credential.
    init(_ body: CallBody, _ parts: AccountParts, others: [String] = []) throws(AccountDenial) {
        if let code = try AppCode(body, insteadOf: ProofRequest.members + [Self.pendingMember] + others) {
            self = .code(code)
            return
        }
        guard let text = try body.text(Self.pendingMember, atMost: PendingToken.maximumSize) else {
            let request = try ProofRequest(body)
            guard let provider = request.provider else { throw .malformed("Send \"provider\".") }
            self = .credential(request, provider: provider)
            return
        }
        for name in ProofRequest.members + others where body.has(name) {
            throw .malformed("Send either \"\(Self.pendingMember)\" or \"\(name)\".")
        }
        self = .pending(try PendingTokens(keys: try parts.keys).read(text, now: parts.clock.now()))
    }
}
