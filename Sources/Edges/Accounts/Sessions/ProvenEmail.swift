import Authentication
import JOSE
import Revocation

/// An e-mail address that a credential tells.
struct ProvenEmail: Sendable, Equatable {
    /// ASCII letters in lower case.
    let address: String
    /// Whether the provider vouches for it: by JSON's true and nothing else.
    let isVerified: Bool
    /// Whether it is one that Apple made to hide the user's own: it is nobody's identity.
    let isPrivate: Bool

    /// Nil without an address that could be one.
    ///
    /// - Parameter isVouchedFor: whether the provider's word on it is taken.
    init?(_ claims: JSONValue, isVouchedFor: Bool = true) {
        guard let email = claims["email"]?.string, let address = Self.address(email) else { return nil }
        self.address = address
        isVerified = isVouchedFor && claims["email_verified"]?.bool == true
        isPrivate = claims["is_private_email"]?.bool == true || Self.isRelay(address)
    }

    /// Whether an address, in lower case, is one of Apple's relay.
    static func isRelay(_ address: String) -> Bool { ClaimText.isAddress(address, at: AppleRules.relayDomain) }

    /// With ASCII letters in lower case; nil for what has not exactly one `@` with something on both sides, or is no printable ASCII: letters
    /// that only look the same must not make two addresses of one, nor one of two.
    private static func address(_ text: String) -> String? {
        guard (3...StoreBounds.maximumEmailSize).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }),
            !text.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].last != UInt8(ascii: ".") else {
            return nil
        }
        return text.lowercased()
    }
}
