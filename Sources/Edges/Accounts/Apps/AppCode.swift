import GatewayCore

/// The code of an app's flow, which the app presents with its verifier as the proof of `sign-in`, `link` and
/// `reauthenticate`.
struct AppCode: Sendable {
    static let members = ["code", "code_verifier"]
    private static let maximumSize = 128
    private static let expected =
        "Send \"code\" with the \"code_verifier\" of its flow: 43 to 128 letters, digits and -._~"

    let code: String
    /// The challenge of the presented verifier.
    let challenge: AppChallenge

    /// Parses the code of a body. `nil` if the body has none. `others` are members that are not accepted with a code.
    init?(_ body: CallBody, insteadOf others: [String]) throws(AccountDenial) {
        guard Self.members.contains(where: { body.has($0) }) else { return nil }
        for name in others where body.has(name) { throw .malformed("Send either \"code\" or \"\(name)\".") }
        code = try body.requiredText("code", atMost: Self.maximumSize)
        let verifier = try body.requiredText("code_verifier", atMost: Self.maximumSize)
        guard let challenge = try AppChallenge(verifier: verifier) else { throw .malformed(Self.expected) }
        self.challenge = challenge
    }
}

/// The codes of apps in the store.
struct AppCodes {
    private static let detail =
        "The code is unknown, was used before, has expired, or belongs to another verifier or purpose. Start again."

    let parts: AccountParts

    /// Stores the result of a flow and returns its code, which only the app with the challenge's verifier can redeem.
    func issue(_ grant: AppGrant, to challenge: AppChallenge, requestID: String) async throws -> String {
        let text = grant.text
        guard text.utf8.count <= AppGrant.maximumSize else {
            throw AccountDenial.credential("the claims exceed the size limit")
        }
        let code = RandomText.nonce()
        let shelf = try parts.shelf(for: requestID)
        try await shelf.put(text, as: .code, named: code, of: challenge, lifetime: AppGrant.lifetime)
        return code
    }

    /// Takes the result of a flow for a call with this purpose. One call on all gateways receives it; a call with
    /// another verifier does not use it up.
    func redeem(_ code: AppCode, for purpose: FlowRecord.Purpose, _ call: AccountCall) async throws -> AppGrant {
        let shelf = try parts.shelf(for: call.requestID)
        guard let text = try await shelf.take(.code, named: code.code, of: [code.challenge])?.value,
            let grant = AppGrant(text)
        else { throw Self.refused("no code with this verifier") }
        guard grant.purpose == purpose else {
            throw Self.refused("the code is for \(grant.purpose.rawValue)")
        }
        // The configuration may have changed since the flow began.
        guard let flows = parts.flows, flows.targets.app(grant.returnTo) != nil,
            flows.providers.contains(where: grant.isFrom)
        else { throw Self.refused("the app or the provider is not configured any more") }
        return grant
    }

    private static func refused(_ reason: String) -> AccountDenial {
        AccountDenial(.invalidCredential, reason: reason, detail: detail)
    }
}
