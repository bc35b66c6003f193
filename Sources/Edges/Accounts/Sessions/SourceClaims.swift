import Authentication
import GatewayCore
import JOSE

/// What of a credential's claims goes on into what the gateway makes of it.
enum SourceClaims {
    /// What is about the credential itself, or is written anew.
    private static let dropped = [
        "iss", "aud", "azp", "nonce", "at_hash", "c_hash", "s_hash", "exp", "iat", "nbf", "jti", "sub", "user_id",
        "auth_time", "sid",
    ]
    /// Says that there was a second factor where a provider's own claims say so in other words (RFC 8176 section 2).
    private static let secondFactor = "mfa"
    private static let factorMember = "sign_in_second_factor"

    /// The most that is kept.
    static let limits = JSONLimits(
        size: 2 * JSONLimits.token.size, depth: JSONLimits.token.depth + 8, members: JSONLimits.token.members + 64)

    static func of(_ principal: Principal) throws(Refusal) -> JSONDocument {
        var text = ObjectText()
        for (name, value) in principal.claims.root.members where !isDropped(name) {
            if name.utf8.elementsEqual("firebase".utf8) {
                text.add(name, json: firebase(value, hasSecondFactor: principal.hasSecondFactor))
            } else {
                text.add(name, value)
            }
        }
        guard let document = try? JSONDocument(text.bytes, limits: limits) else {
            throw .credential("more claims than can be kept")
        }
        return document
    }

    private static func isDropped(_ name: String) -> Bool {
        dropped.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    private static func firebase(_ value: JSONValue, hasSecondFactor: Bool) -> [UInt8] {
        guard hasSecondFactor, value[factorMember] == nil else { return value.compact }
        var text = ObjectText()
        for (name, value) in value.members { text.add(name, value) }
        text.add(factorMember, secondFactor)
        return text.bytes
    }
}
