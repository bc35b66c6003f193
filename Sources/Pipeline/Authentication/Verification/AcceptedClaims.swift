package import JOSE

/// Claims whose origin is proven: by a signature, by the provider that was asked about the token, or by the operator's word
/// that this is an emulator's gateway.
///
/// Only this file makes them, so a `Principal` cannot come from claims that nobody vouched for.
package struct AcceptedClaims: Sendable {
    package let payload: JSONDocument

    /// A verified token's.
    init(signed token: VerifiedJWS) {
        payload = token.payload
    }

    /// What a provider said of an opaque token that it was asked about.
    init(told answer: ProvenAnswer) {
        payload = answer.claims
    }

    /// What was accepted once: those of a principal.
    init(of principal: Principal) {
        payload = principal.claims
    }

    /// An unsigned token's. Nil for any other.
    init?(unsignedByEmulator token: UnverifiedJWS) {
        guard token.algorithmName == "none", token.hasEmptySignature else { return nil }
        payload = token.payload
    }

    private init(payload: JSONDocument) {
        self.payload = payload
    }

    /// The same claims with others in the place of those of the same names; nil when that is more than a token may hold.
    ///
    /// - Parameter members: names, each once, and their values' JSON text.
    func replacing(_ members: [(name: String, json: [UInt8])]) -> AcceptedClaims? {
        var text: [UInt8] = [UInt8(ascii: "{")]
        text.reserveCapacity(payload.byteCount + 512)
        for (name, value) in payload.root.members
        where !members.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            JSONWriter.appendName(name, to: &text)
            value.appendCompact(to: &text)
        }
        for (name, json) in members {
            JSONWriter.appendName(name, to: &text)
            text.append(contentsOf: json)
        }
        text.append(UInt8(ascii: "}"))
        let limits = JSONLimits(
            size: Self.sizeLimit, depth: JSONLimits.token.depth + 4, members: JSONLimits.token.members + 64)
        return (try? JSONDocument(text, limits: limits)).map(AcceptedClaims.init(payload:))
    }

    /// The most bytes of claims with what is added to them.
    private static let sizeLimit = 2 * JSONLimits.token.size
}
