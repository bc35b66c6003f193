import GatewayCore
import JOSE
import Logging
import OutboundHTTP
import Revocation

/// Identity Toolkit's `projects:createSessionCookie`, which creates a session cookie of Firebase from an ID token.
struct SessionCookieCreation: GoogleMethod {
    struct Payload: Sendable {
        let user: UserKey
        let idToken: String
        /// Seconds.
        let lifetime: Int64
    }

    /// The response to a call.
    enum Value: Sendable, Equatable {
        case created(String)
        /// Identity Toolkit rejects the ID token, with its error code.
        case rejected(String)
    }

    static let scope = GoogleScope.identityToolkit
    static let limits = LookupLimits(concurrency: 8, waiting: 256)
    static let messages = events(failing: "a session cookie could not be created at Firebase")
    static let tokenMessages = events(failing: "no access token to create session cookies at Firebase")
    /// The timeout of each request of a call.
    static let timeout = Duration.seconds(5)
    private static let jsonLimits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 8, members: 256)

    let path: FirebaseProjectPath
    let url: String
    var timeout: Duration { Self.timeout }

    static func isAccepted(_ value: Value) -> Bool { if case .created = value { true } else { false } }

    func perform(
        _ payload: Payload, by client: GoogleClient,
        completion: @escaping @Sendable (Result<Value, LookupFailure>) -> Void
    ) {
        var body = ObjectText()
        body.add("idToken", payload.idToken)
        body.add("validDuration", "\(payload.lifetime)")
        client.send(
            body.bytes, to: path.url(url, of: payload.user), read: { Self.read($0, now: $1) }, completion: completion)
    }

    /// The error codes that concern the ID token or its user.
    private static let tokenErrors: Set<String> = [
        "INVALID_ID_TOKEN", "TOKEN_EXPIRED", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "USER_NOT_FOUND", "USER_DISABLED",
        "TENANT_ID_MISMATCH",
    ]

    /// Parses a response. Any other error concerns the project, a quota or the rights of the gateway.
    static func read(_ response: OutboundResponse, now: Int64) -> Result<Value, LookupFailure> {
        if response.status == 400, let code = GoogleError.code(of: response, jsonLimits), tokenErrors.contains(code) {
            return .success(.rejected(code))
        }
        guard response.status == 200 else {
            return .failure(LookupFailure(response, ownCredentials: [401, 403], now: now))
        }
        let document = try? JSONDocument(response.body, limits: jsonLimits)
        guard let cookie = document?.root["sessionCookie"]?.string, isToken(cookie) else {
            return .failure(.malformed("no session cookie"))
        }
        return .success(.created(cookie))
    }

    /// Returns whether a text has only the characters of a signed token, none of which has a meaning in `Set-Cookie`.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    private static func events(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "the creation of session cookies at Firebase has recovered",
            overloaded: "the limit of session cookies that are created at Firebase is exceeded")
    }
}
