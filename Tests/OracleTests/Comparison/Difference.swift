import JOSE

@testable import Authentication

/// A reason for which Gatehouse rejects tokens that the Admin SDK accepts. docs/internals/verification.md has a row for
/// each.
enum Difference: String, CaseIterable, Sendable {
    case size = "longer than 16 KiB"
    case encoding = "not strict base64url"
    case notFinite = "NaN or Infinity in the JSON"
    case loneSurrogate = "half a surrogate pair in the JSON"
    case duplicate = "a member twice"
    case bounds = "JSON deeper than 64, or of more than 4096 values"
    case critical = "crit or b64 in the header"
    case type = "typ other than JWT"
    case certificate = "a certificate that has ended"
    case subject = "sub of more than 128 bytes"
    case subjectControl = "sub with control characters"
    case expiresNow = "now equal to exp"
    case expirySkew = "exp within the skew"
    case expiryInteger = "exp not an integer of 64 bits"
    case issuedInteger = "iat before 1970, or not an integer of 64 bits"
    case notBefore = "nbf in the future, before 1970, or not an integer"
    case signInInteger = "auth_time missing, or not an integer of 64 bits"
    case signInTime = "auth_time in the future, or before 1970"
    case firebase = "the firebase claim malformed"
    case tenant = "a tenant where none is configured, or another in a session cookie"
    case userID = "user_id other than sub"

    /// The difference that explains the refusal of a token that the SDK accepts. `nil` if none does.
    init?(_ verdict: GatehouseVerdict, of one: OracleCase) {
        switch verdict {
        case .accepted, .unexpected: return nil
        case .malformed(let error): self.init(error, of: one)
        case .refused(let failure): self.init(failure.reason, of: one)
        }
    }

    private init?(_ error: JWSError, of one: OracleCase) {
        switch error.code {
        case .tooLarge: self = .size
        case .invalidHeaderEncoding, .invalidPayloadEncoding, .invalidSignatureEncoding: self = .encoding
        case .criticalExtension, .unencodedPayload: self = .critical
        case .invalidType: self = .type
        case .invalidHeaderJSON, .invalidPayloadJSON: self.init(error.json, of: one)
        default: return nil
        }
    }

    private init?(_ error: JSONError?, of one: OracleCase) {
        switch error?.code {
        case .duplicateMember: self = .duplicate
        case .loneSurrogate: self = .loneSurrogate
        case .tooDeep, .tooManyValues: self = .bounds
        case .unexpectedByte, .invalidNumber:
            guard Self.namesNonFinite(one.token) else { return nil }
            self = .notFinite
        default: return nil
        }
    }

    private init?(_ reason: VerificationFailure.Reason, of one: OracleCase) {
        switch reason {
        case .type: self = .type
        case .issuedAt: self = .issuedInteger
        case .expiryMissing: self = .expiryInteger
        case .notBefore: self = .notBefore
        case .authenticationTime: self = .signInInteger
        case .authenticatedInFuture: self = .signInTime
        case .firebaseMember: self = .firebase
        case .userID: self = .userID
        case .expired, .subject, .unknownKey, .tenant: self.init(bounded: reason, of: one)
        default: return nil
        }
    }

    /// Reasons that the SDK has too: Gatehouse may differ only where its bounds differ.
    private init?(bounded reason: VerificationFailure.Reason, of one: OracleCase) {
        guard let jws = try? UnverifiedJWS(one.token) else { return nil }
        let claims = jws.payload.root
        let expiry = claims["exp"]?.integer ?? .min
        switch reason {
        case .expired where expiry == TokenDraft.now: self = .expiresNow
        case .expired where expiry < TokenDraft.now && expiry + one.setting.skew >= TokenDraft.now: self = .expirySkew
        case .subject where (claims["sub"]?.string?.utf8.count ?? 0) > 128: self = .subject
        case .subject where claims["sub"]?.string?.utf8.contains { $0 < 0x20 || $0 == 0x7F } == true:
            self = .subjectControl
        case .unknownKey where jws.keyID == "key-retired": self = .certificate
        case .tenant where one.setting.tenant == nil || one.setting.kind == .sessionCookie: self = .tenant
        default: return nil
        }
    }

    private static func namesNonFinite(_ token: [UInt8]) -> Bool {
        token.split(separator: UInt8(ascii: ".")).prefix(2).contains { part in
            let text = String(decoding: Base64URL.decode(Array(part)) ?? [], as: UTF8.self)
            return text.contains("NaN") || text.contains("Infinity")
        }
    }
}
