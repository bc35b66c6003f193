package import GatewayCore
package import JOSE
package import OutboundHTTP

/// One way of asking a provider about an opaque token, and of reading what it says.
package protocol TokenCheck: Sendable {
    /// The provider's id.
    var provider: String { get }
    /// The statuses by which the provider says that the token does not count.
    var refusals: Set<Int> { get }
    /// The statuses by which the provider refuses the gateway's own credentials.
    var ownCredentials: Set<Int> { get }

    /// What to send to learn about the token, 1 to `OpaqueToken.sizeLimit` bytes of visible ASCII.
    func question(about token: [UInt8]) -> HTTPQuestion

    /// What an answer with status 200 proves. Times and the subject's form are for who judges.
    ///
    /// - Parameter latest: the latest time at which what begins has begun: now, and the clock's skew.
    func examine(_ answer: JSONValue, latest: UnixTime) throws(Unproven) -> TokenProof

    /// Whether the claims of a token that was proven once say that it was issued for the client that is configured now.
    func isForUs(_ claims: JSONValue) -> Bool
}

extension TokenCheck {
    package var refusals: Set<Int> { [] }
}

/// Why an answer proves nothing.
package enum Unproven: Error, Equatable {
    /// The token does not count.
    case refused(VerificationFailure.Reason)
    /// The answer cannot be believed.
    case malformed(String)
}

/// What an answer says of a token that counts, and that was issued for us.
package struct TokenProof {
    var subject: String
    var claims: ClaimsText
    /// When the user proved who they are, where the provider says so.
    var authTime: UnixTime?
    var issuedAt: UnixTime?
    /// Nil: the token does not end.
    var expiresAt: UnixTime?
    var scopes: [String] = []
}

/// What an opaque token may look like.
package enum OpaqueToken {
    /// The longest token that a provider is asked about, in bytes.
    static let sizeLimit = 8192

    /// Whether a provider can be asked about it: visible ASCII (RFC 6750 section 2.1 allows fewer characters, RFC 6749 appendix A.12 more).
    package static func isWellFormed(_ token: [UInt8]) -> Bool {
        (1...sizeLimit).contains(token.count) && token.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
