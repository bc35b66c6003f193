/// The reason that a text is not a JWS that can be verified.
public struct JWSError: Error, Hashable, Sendable {
    /// The kind of error. The list can grow.
    public enum Code: String, Hashable, Sendable {
        /// More bytes than the caller permits.
        case tooLarge
        /// Not three parts separated by dots.
        case wrongPartCount
        /// Five parts: an encrypted token (JWE), which is not supported.
        case encrypted
        /// The header is empty or not strict base64url.
        case invalidHeaderEncoding
        /// The payload is empty or not strict base64url.
        case invalidPayloadEncoding
        /// The signature is not strict base64url.
        case invalidSignatureEncoding
        /// The header is not JSON; see `json`.
        case invalidHeaderJSON
        /// The payload is not JSON; see `json`.
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
        /// `crit` is present. It lists extensions that must be understood (RFC 7515 section 4.1.11); none are
        /// supported.
        case criticalExtension
        /// `b64` is present (RFC 7797).
        case unencodedPayload
    }

    /// The kind of error.
    public let code: Code
    /// The JSON error, for `invalidHeaderJSON` and `invalidPayloadJSON`.
    public let json: JSONError?

    init(_ code: Code, json: JSONError? = nil) {
        self.code = code
        self.json = json
    }
}

extension JWSError: CustomStringConvertible {
    /// The code and the position of a JSON error, without any of the token.
    public var description: String {
        json.map { "\(code.rawValue): \($0)" } ?? code.rawValue
    }
}
