/// Why a text is not a JWS that may be verified.
public struct JWSError: Error, Hashable, Sendable {
    /// The kinds of failure; more may be added.
    public enum Code: String, Hashable, Sendable {
        /// More bytes than the caller allows.
        case tooLarge
        /// Not three parts between dots.
        case wrongPartCount
        /// Five parts: an encrypted token (JWE), which is never decrypted.
        case encrypted
        /// The header is empty or not strict base64url.
        case invalidHeaderEncoding
        /// The payload is empty or not strict base64url.
        case invalidPayloadEncoding
        /// The signature is not strict base64url.
        case invalidSignatureEncoding
        /// The header is not JSON; `json` tells more.
        case invalidHeaderJSON
        /// The payload is not JSON; `json` tells more.
        case invalidPayloadJSON
        /// The header is JSON, but not an object.
        case headerNotObject
        /// The payload is JSON, but not an object.
        case payloadNotObject
        /// `alg` is missing, empty or not a string.
        case invalidAlgorithm
        /// `kid` is not a string, or longer than 1 KiB.
        case invalidKeyID
        /// `typ` is not a string, or longer than 256 bytes.
        case invalidType
        /// There is a `crit`: an extension that must be understood (RFC 7515 section 4.1.11), and none is.
        case criticalExtension
        /// There is a `b64` (RFC 7797).
        case unencodedPayload
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong with the JSON, for the two codes that say so.
    public let json: JSONError?

    init(_ code: Code, json: JSONError? = nil) {
        self.code = code
        self.json = json
    }
}

extension JWSError: CustomStringConvertible {
    /// The code, and where the JSON is wrong; nothing of the token itself.
    public var description: String {
        json.map { "\(code.rawValue): \($0)" } ?? code.rawValue
    }
}
