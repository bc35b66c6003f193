package import GatewayConfiguration
package import GatewayCore
package import JOSE
package import OutboundHTTP

/// The request about an opaque token, and the interpretation of the response, for one kind of provider.
package protocol TokenCheck: Sendable {
    /// The provider's ID.
    var provider: String { get }
    /// The statuses with which the provider rejects the token.
    var refusals: Set<Int> { get }
    /// The statuses with which the provider rejects the gateway's own credentials.
    var ownCredentials: Set<Int> { get }

    /// Returns the request about a token of 1 to `OpaqueToken.sizeLimit` bytes of visible ASCII.
    func request(about token: [UInt8]) -> OutboundRequest

    /// Returns the facts that a response with status 200 proves. The caller checks the times and the form of the
    /// subject.
    ///
    /// - Parameter latest: The latest accepted time: now plus the clock skew.
    func examine(_ response: JSONValue, latest: UnixTime) throws(Unproven) -> TokenProof

    /// Returns whether the claims of a previously proven token name the currently configured client.
    func isForUs(_ claims: JSONValue) -> Bool
}

extension TokenCheck {
    package var refusals: Set<Int> { [] }
}

/// The reason why a response proves nothing.
package enum Unproven: Error, Equatable {
    /// The token is not valid.
    case refused(VerificationFailure.Reason)
    /// The response is unusable.
    case malformed(String)
}

/// The facts that a response states about a valid token issued for the gateway.
package struct TokenProof {
    var subject: String
    var claims: ObjectText
    /// When the user signed in. `nil` if the provider does not state it.
    var authTime: UnixTime?
    var issuedAt: UnixTime?
    /// `nil` if the token does not expire.
    var expiresAt: UnixTime?
    var scopes: [String] = []
}

/// The form of opaque tokens.
package enum OpaqueToken {
    /// The maximum size of a token that is sent to a provider, in bytes.
    static let sizeLimit = 8192

    /// Returns whether a token may be sent to a provider: it must be visible ASCII. RFC 6750 section 2.1 allows fewer
    /// characters, RFC 6749 appendix A.12 more.
    package static func isWellFormed(_ token: [UInt8]) -> Bool {
        (1...sizeLimit).contains(token.count) && token.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension Configuration.Provider {
    /// The introspection method for opaque tokens. `nil` if the provider accepts none.
    package var tokenCheck: (any TokenCheck)? {
        guard let opaqueTokens else { return nil }
        return switch kind {
        case .github: GitHubTokenCheck(provider: id, opaqueTokens)
        case .facebook: FacebookTokenCheck(provider: id, opaqueTokens)
        default: RFC7662Introspection(provider: id, opaqueTokens)
        }
    }
}

/// Claims under construction, as JSON text.
package struct ClaimsText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendString(value, to: &text)
    }

    package mutating func add(_ name: String, _ value: UnixTime?) {
        guard let value else { return }
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendInteger(value.seconds, to: &text)
    }

    /// Adds a value in the JSON form that the provider sent.
    mutating func add(_ name: String, json value: JSONValue) {
        JSONWriter.appendName(name, to: &text)
        value.appendCompact(to: &text)
    }

    /// The complete object.
    package var bytes: [UInt8] { text + [UInt8(ascii: "}")] }
}
