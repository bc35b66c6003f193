import GatewayCore
import JOSE

/// `POST nonce`: gives out a nonce for the next proof.
struct NonceCall {
    private static let expected =
        "Send \"purpose\" as \(Nonces.Purpose.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let body = try CallBody(of: call, taking: ["purpose"], mayBeEmpty: true)
        let nonce = try await parts.nonces.issue(for: try purpose(body))
        var answer = ObjectText()
        answer.add("nonce", nonce.raw)
        answer.add("nonce_sha256", HexText.text(nonce.digest.bytes))
        answer.add("expires_in", Nonces.lifetime)
        return .json(answer.bytes)
    }

    private func purpose(_ body: CallBody) throws(Refusal) -> Nonces.Purpose? {
        guard let value = body.value("purpose") else { return nil }
        guard let purpose = Nonces.Purpose.allCases.first(where: { value.equals($0.rawValue) }) else {
            throw .malformed(Self.expected)
        }
        return purpose
    }
}
