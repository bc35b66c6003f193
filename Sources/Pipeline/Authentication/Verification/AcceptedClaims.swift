package import JOSE

/// Claims of proven origin: by a signature, by the provider's introspection response, or by a configuration that
/// declares the gateway an emulator's.
///
/// Only this file creates them, so that a `Principal` is never based on unverified claims.
package struct AcceptedClaims: Sendable {
    package let payload: JSONDocument

    /// Creates the claims of a verified token.
    init(signed token: VerifiedJWS) {
        payload = token.payload
    }

    /// Creates the claims of a provider's introspection response.
    init(introspected response: ProvenResponse) {
        payload = response.claims
    }

    /// Creates the claims of an existing principal.
    init(of principal: Principal) {
        payload = principal.claims
    }

    /// Creates the claims of an unsigned token. `nil` for any other token.
    init?(unsignedByEmulator token: UnverifiedJWS) {
        guard token.algorithmName == "none", token.hasEmptySignature else { return nil }
        payload = token.payload
    }

    private init(payload: JSONDocument) {
        self.payload = payload
    }

    /// Returns the same claims with some members replaced or added. `nil` if the result exceeds the limits of a token.
    ///
    /// - Parameter members: Unique names, and the JSON text of their values.
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

    /// The maximum size of claims with additions, in bytes.
    private static let sizeLimit = 2 * JSONLimits.token.size
}
