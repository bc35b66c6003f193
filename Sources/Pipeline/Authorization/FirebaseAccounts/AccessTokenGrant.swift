import Authentication
package import GatewayCore
import JOSE
package import OutboundHTTP
import TextCoding

/// The scope of access tokens, by the calls that use them.
package enum GoogleScope: String, Sendable {
    /// Calls of Identity Toolkit.
    case identityToolkit = "https://www.googleapis.com/auth/identitytoolkit"
    /// Calls of Firebase's management APIs, to which App Check belongs.
    case firebase = "https://www.googleapis.com/auth/firebase"
    /// Calls of the Realtime Database, which also reads the e-mail address of the identity.
    case realtimeDatabase =
        "https://www.googleapis.com/auth/firebase.database https://www.googleapis.com/auth/userinfo.email"

    /// All calls for which the identity has rights.
    case cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"

    /// The scopes of a token.
    var names: [String] { rawValue.split(separator: " ").map(String.init) }
    /// The scopes that `GoogleCredential.scope` does not include.
    var further: [String] { self == .realtimeDatabase ? names : [] }
}

/// An access token and its lifetime.
package struct AccessToken: Sendable {
    package var value: Secret
    /// Seconds.
    var lifetime: Int64
}

/// The grant that obtains an access token for a service account: a JWT that it signs (RFC 7523).
package struct AccessTokenGrant: Sendable {
    /// The lifetime of the grant, in seconds: the maximum that Google allows.
    private static let lifetime: Int64 = 3600
    static let limits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 8, members: 256)
    /// The maximum size of an access token, in bytes.
    private static let tokenLimit = 8192

    package let account: ServiceAccount

    package init(account: ServiceAccount) {
        self.account = account
    }

    /// Returns the request for an access token. `nil` if libcrypto fails to sign.
    ///
    /// - Parameter now: Seconds since 1970.
    package func request(scope: GoogleScope = .identityToolkit, now: Int64) -> OutboundRequest? {
        var claims = ObjectText()
        claims.add("iss", account.email)
        claims.add("scope", scope.rawValue)
        claims.add("aud", account.tokenURL)
        let now = UnixTime(clamping: now)
        claims.add("iat", now)
        claims.add("exp", now.adding(Self.lifetime))
        guard let assertion = try? account.key.sign(payload: claims.bytes) else { return nil }
        var request = OutboundRequest(
            method: .post, url: account.tokenURL,
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")])
        FormEncoding.append("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".utf8, to: &request.body)
        FormEncoding.append("assertion", assertion.utf8, to: &request.body)
        return request
    }

    /// Parses the token endpoint's response.
    ///
    /// - Parameter allowsTextLifetime: Whether `expires_in` may be a number in a string, as of the Security Token
    ///   Service.
    package static func read(
        _ response: OutboundResponse, now: Int64, allowsTextLifetime: Bool = false
    ) -> Result<AccessToken, LookupFailure> {
        guard response.status == 200 else {
            // RFC 6749 section 5.2: an invalid grant is 400, an invalid client 401.
            return .failure(LookupFailure(response, ownCredentials: [400, 401, 403], now: now))
        }
        do throws(Unproven) {
            let reader = try IntrospectionResponseReader(
                (try? JSONDocument(response.body, limits: limits))?.root, "the answer")
            guard let token = try reader.text("access_token"), isSendable(token) else {
                throw .malformed("access_token contains characters that cannot be sent")
            }
            guard try reader.text("token_type")?.lowercased().utf8.elementsEqual("bearer".utf8) != false else {
                throw .malformed("token_type is not Bearer")
            }
            let text = allowsTextLifetime ? reader["expires_in"]?.string : nil
            let written = if let text { Int64(text) } else { try reader.seconds("expires_in") }
            guard let lifetime = written, lifetime > 0 else {
                throw .malformed("expires_in is not a positive number")
            }
            return .success(AccessToken(value: Secret(token), lifetime: lifetime))
        } catch {
            return .failure(LookupFailure(.malformed, error.detail))
        }
    }

    static func isSendable(_ token: String) -> Bool {
        (1...tokenLimit).contains(token.utf8.count) && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension Unproven {
    /// The reason, for the log.
    var detail: String {
        switch self {
        case .refused(let reason): reason.rawValue
        case .malformed(let what): what
        }
    }
}
