import JOSE

/// The challenge of an app (RFC 7636 section 4.2): the SHA-256 of a verifier that only the app knows, in base64url.
///
/// It is the holder of the app's code in the store, so that a client without the verifier neither finds nor uses the
/// code.
struct AppChallenge: FlowHolder, Equatable {
    static let kind = "app"
    /// The permitted sizes of a verifier, in bytes.
    private static let verifierSizes = 43...128
    private static let size = 43

    let value: String

    /// `nil` if the text is not a SHA-256 in base64url.
    init?(_ text: String) {
        guard text.utf8.count == Self.size, Base64URL.decode(text) != nil else { return nil }
        value = text
    }

    /// Creates the challenge of a verifier. `nil` if the text has not the form of a verifier (RFC 7636 section 4.1).
    init?(verifier: String) throws(AccountDenial) {
        guard Self.verifierSizes.contains(verifier.utf8.count), verifier.utf8.allSatisfy(Self.isUnreserved) else {
            return nil
        }
        value = Base64URL.encode(try AccountDenial.hash(Array(verifier.utf8)).bytes)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
