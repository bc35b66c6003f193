import GatewayCore

/// A proof as `sign-in` and `link` take it: a provider's credential, or a pending token.
enum ProvenBody: Sendable {
    case credential(ProofRequest, provider: String)
    case pending(PendingToken)

    static let members = ProofRequest.members + ["pending_token"]

    /// - Parameter others: what else goes only with a provider's credential.
    init(_ body: CallBody, _ parts: AccountParts, others: [String] = []) throws(Refusal) {
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
