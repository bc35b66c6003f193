import JOSE

extension JWSError {
    /// The reason why a text is no token that can be verified, for people. It contains nothing of the text.
    var explanation: String {
        let place = json.map { ", at byte \($0.offset) of it" } ?? ""
        return switch code {
        case .tooLarge: "it is larger than 16 KiB"
        case .wrongPartCount: "a JWT has three parts with dots between them"
        case .encrypted: "it has five parts, as an encrypted token (JWE), which is not supported"
        case .invalidHeaderEncoding: "its first part, the header, is not base64url"
        case .invalidPayloadEncoding: "its second part, the claims, is not base64url"
        case .invalidSignatureEncoding: "its third part, the signature, is not base64url"
        case .invalidHeaderJSON: "its header is not valid JSON\(place)"
        case .invalidPayloadJSON: "its claims are not valid JSON\(place)"
        case .headerNotObject: "its header is not a JSON object"
        case .payloadNotObject: "its claims are not a JSON object"
        case .invalidAlgorithm: "its header has no valid alg"
        case .invalidKeyID: "the kid of its header is not a text of at most 1 KiB"
        case .invalidType: "the typ of its header is not a text of at most 256 bytes"
        case .criticalExtension: "its header has crit, and no extension is supported"
        case .unencodedPayload: "its header has b64, which is not supported"
        }
    }
}
