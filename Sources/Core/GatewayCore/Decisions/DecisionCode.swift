/// The result of a request as decided by the gateway. The list is part of the public contract.
///
/// Clients receive it as `code`; the access log and metrics use it too. Raw values are indices into counters and can
/// change between versions; the values of `wire` cannot.
package enum DecisionCode: UInt8, CaseIterable, Sendable {
    // Permitted: the response is the upstream's.
    case ok

    // 400
    case malformedRequest
    case ambiguousCredentials
    case invalidCredential
    case invalidNonce
    case invalidSessionDuration
    case operationNotAllowed

    // 401
    case missingCredential
    case argumentError
    case invalidIDToken
    case idTokenExpired
    case idTokenRevoked
    case invalidSessionCookie
    case sessionCookieExpired
    case sessionCookieRevoked
    case tenantMismatch
    case userDisabled
    case requiresRecentLogin
    case secondFactorRequired
    case missingAppToken
    case invalidAppToken
    case appTokenExpired
    case appTokenUsed

    // 403
    case appNotAllowed
    case permissionDenied
    case insufficientScope
    case crossSite
    case userMismatch
    case unverifiedEmail

    // 404, 405
    case routeNotFound
    case noSuchProvider
    case methodNotAllowed

    // 409
    case credentialInUse
    case accountExists
    case providerLinked
    case emailInUse
    case consentRequired
    case firebaseUserMismatch

    // 408, 413, 415, 429, 431
    case requestTimeout
    case requestTooLarge
    case grpcUnsupported
    case rateLimited
    case headTooLarge

    // 499: only for the log and metrics, since the client is gone.
    case clientClosed

    // 500
    case internalError

    // 502, 504
    case upstreamUnreachable
    case upstreamInvalidResponse
    case upstreamTimeout

    // 503
    case keysUnavailable
    case appKeysUnavailable
    case appConsumptionUnavailable
    case storeUnavailable
    case introspectionUnavailable
    case overloaded

    /// The number of codes: the length of a table by code. Folds to a constant.
    package static var count: Int { Int(DecisionCode.overloaded.rawValue) &+ 1 }
}

extension DecisionCode {
    /// The code as seen by clients, logs and metrics, such as `auth/id-token-expired`.
    package var wire: StaticString {
        switch self {
        case .ok: "ok"
        case .malformedRequest: "request/malformed"
        case .ambiguousCredentials: "request/ambiguous-credentials"
        case .invalidCredential: "auth/invalid-credential"
        case .invalidNonce: "auth/missing-or-invalid-nonce"
        case .invalidSessionDuration: "auth/invalid-session-cookie-duration"
        case .operationNotAllowed: "auth/operation-not-allowed"
        case .userMismatch: "auth/user-mismatch"
        case .unverifiedEmail: "auth/unverified-email"
        case .noSuchProvider: "auth/no-such-provider"
        case .credentialInUse: "auth/credential-already-in-use"
        case .accountExists: "auth/account-exists-with-different-credential"
        case .providerLinked: "auth/provider-already-linked"
        case .emailInUse: "auth/email-already-in-use"
        case .consentRequired: "auth/consent-required"
        case .firebaseUserMismatch: "auth/firebase-user-mismatch"
        case .missingCredential: "auth/missing-credential"
        case .argumentError: "auth/argument-error"
        case .invalidIDToken: "auth/invalid-id-token"
        case .idTokenExpired: "auth/id-token-expired"
        case .idTokenRevoked: "auth/id-token-revoked"
        case .invalidSessionCookie: "auth/invalid-session-cookie"
        case .sessionCookieExpired: "auth/session-cookie-expired"
        case .sessionCookieRevoked: "auth/session-cookie-revoked"
        case .tenantMismatch: "auth/tenant-id-mismatch"
        case .userDisabled: "auth/user-disabled"
        case .requiresRecentLogin: "auth/requires-recent-login"
        case .secondFactorRequired: "auth/second-factor-required"
        case .missingAppToken: "app-check/missing-token"
        case .invalidAppToken: "app-check/invalid-token"
        case .appTokenExpired: "app-check/token-expired"
        case .appTokenUsed: "app-check/token-already-consumed"
        case .appNotAllowed: "app-check/app-not-allowed"
        case .permissionDenied: "auth/permission-denied"
        case .insufficientScope: "auth/insufficient-scope"
        case .crossSite: "request/cross-site"
        case .routeNotFound: "route/not-found"
        case .methodNotAllowed: "request/method-not-allowed"
        case .requestTimeout: "request/timeout"
        case .requestTooLarge: "request/too-large"
        case .grpcUnsupported: "request/grpc-unsupported"
        case .rateLimited: "request/rate-limited"
        case .headTooLarge: "request/head-too-large"
        case .clientClosed: "client/closed"
        case .internalError: "gateway/internal"
        case .upstreamUnreachable: "upstream/unreachable"
        case .upstreamInvalidResponse: "upstream/invalid-response"
        case .upstreamTimeout: "upstream/timeout"
        case .keysUnavailable: "auth/keys-unavailable"
        case .appKeysUnavailable: "app-check/keys-unavailable"
        case .appConsumptionUnavailable: "app-check/consumption-unavailable"
        case .storeUnavailable: "auth/store-unavailable"
        case .introspectionUnavailable: "auth/introspection-unavailable"
        case .overloaded: "gateway/overloaded"
        }
    }

    /// The HTTP status of the code; 0 for `ok`, whose status is the upstream's.
    package var status: UInt16 {
        switch self {
        case .ok: 0
        case .malformedRequest, .ambiguousCredentials, .invalidCredential, .invalidNonce, .invalidSessionDuration,
            .operationNotAllowed:
            400
        case .missingCredential, .argumentError, .invalidIDToken, .idTokenExpired, .idTokenRevoked,
            .invalidSessionCookie, .sessionCookieExpired, .sessionCookieRevoked, .tenantMismatch, .userDisabled,
            .requiresRecentLogin, .secondFactorRequired, .missingAppToken, .invalidAppToken, .appTokenExpired,
            .appTokenUsed:
            401
        case .appNotAllowed, .permissionDenied, .insufficientScope, .crossSite, .userMismatch, .unverifiedEmail: 403
        case .routeNotFound, .noSuchProvider: 404
        case .credentialInUse, .accountExists, .providerLinked, .emailInUse, .consentRequired, .firebaseUserMismatch:
            409
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .requestTooLarge: 413
        case .grpcUnsupported: 415
        case .rateLimited: 429
        case .headTooLarge: 431
        case .clientClosed: 499
        case .internalError: 500
        case .upstreamUnreachable, .upstreamInvalidResponse: 502
        case .keysUnavailable, .appKeysUnavailable, .appConsumptionUnavailable, .storeUnavailable,
            .introspectionUnavailable, .overloaded:
            503
        case .upstreamTimeout: 504
        }
    }

    /// The `title` of the problem document: one line for people. Reveals nothing about keys, other users or internals.
    package var title: StaticString {
        switch self {
        case .ok: "Passed"
        case .malformedRequest: "The request is malformed"
        case .ambiguousCredentials: "The request contains different credentials"
        case .invalidCredential: "The provider's credential is invalid"
        case .invalidNonce: "The nonce is missing or invalid"
        case .invalidSessionDuration: "The session duration is out of range"
        case .operationNotAllowed: "The operation is not enabled"
        case .userMismatch: "The credential belongs to another user"
        case .unverifiedEmail: "The user has no verified address"
        case .noSuchProvider: "The provider is not linked"
        case .credentialInUse: "The credential belongs to another account"
        case .accountExists: "An account exists with a different credential"
        case .providerLinked: "The provider is already linked"
        case .emailInUse: "The address belongs to another account"
        case .consentRequired: "The consent of the user is required"
        case .firebaseUserMismatch: "The account and the Firebase user differ"
        case .missingCredential: "Sign-in required"
        case .argumentError: "The credential is not a token of an accepted kind"
        case .invalidIDToken: "The ID token is invalid"
        case .idTokenExpired: "The ID token has expired"
        case .idTokenRevoked: "The ID token has been revoked"
        case .invalidSessionCookie: "The session cookie is invalid"
        case .sessionCookieExpired: "The session cookie has expired"
        case .sessionCookieRevoked: "The session cookie has been revoked"
        case .tenantMismatch: "The token belongs to another tenant"
        case .userDisabled: "The user is disabled"
        case .requiresRecentLogin: "A more recent sign-in is required"
        case .secondFactorRequired: "A second factor is required"
        case .missingAppToken: "An App Check token is required"
        case .invalidAppToken: "The App Check token is invalid"
        case .appTokenExpired: "The App Check token has expired"
        case .appTokenUsed: "The App Check token has been used before"
        case .appNotAllowed: "The app is not permitted to do this"
        case .permissionDenied: "Permission denied"
        case .insufficientScope: "The scope of the token is insufficient"
        case .crossSite: "Cross-site requests are not allowed"
        case .routeNotFound: "No such route"
        case .methodNotAllowed: "The method is not allowed"
        case .requestTimeout: "The request was not received in time"
        case .requestTooLarge: "The request body is too large"
        case .grpcUnsupported: "The service does not accept gRPC"
        case .rateLimited: "Too many requests"
        case .headTooLarge: "The request head is too large"
        case .clientClosed: "The client closed the connection"
        case .internalError: "Internal gateway error"
        case .upstreamUnreachable: "The service is unreachable"
        case .upstreamInvalidResponse: "The service returned an invalid response"
        case .upstreamTimeout: "The service did not respond in time"
        case .keysUnavailable: "The keys to verify the credential are unavailable"
        case .appKeysUnavailable: "The keys to verify the App Check token are unavailable"
        case .appConsumptionUnavailable: "The replay protection of App Check is unavailable"
        case .storeUnavailable: "The revocation store is unavailable"
        case .introspectionUnavailable: "Token introspection is unavailable"
        case .overloaded: "The gateway is overloaded"
        }
    }

    /// The `detail` of the problem document: the action that the client can take.
    package var detail: StaticString {
        switch self {
        case .ok: ""
        case .malformedRequest:
            "Send a well-formed HTTP/1.1 request with one Host and an unambiguous path and body length."
        case .ambiguousCredentials: "Send one credential: the Authorization header or the session cookie."
        case .invalidCredential: "Get a fresh credential from the provider and try again."
        case .invalidNonce: "Get a nonce, sign in at the provider with it, and send it with the credential, once."
        case .invalidSessionDuration: "Request a duration of 300 to 1209600 seconds."
        case .operationNotAllowed: "The gateway's configuration does not enable this operation; see the manual."
        case .userMismatch: "Sign in as the user of this session."
        case .unverifiedEmail: "Verify the e-mail address at Firebase, sign in again, then repeat the call."
        case .noSuchProvider: "Specify a provider that is linked to the account."
        case .credentialInUse: "Sign in to the other account with the pending token, or use another credential."
        case .accountExists: "Sign in with a provider of the existing account, then link with the pending token."
        case .providerLinked: "Unlink the provider first."
        case .emailInUse: "Sign in to the account that has the address."
        case .consentRequired: "Ask the user for consent to link the accounts, then send consent: true."
        case .firebaseUserMismatch: "Contact support: an operator decides which user has this identity."
        case .missingCredential: "Send an ID token as Authorization: Bearer, or a session cookie."
        case .argumentError:
            "Send a token that this service accepts as Authorization: Bearer; exchange custom tokens first."
        case .invalidIDToken: "Get a fresh token for this service and try again."
        case .idTokenExpired: "Refresh the ID token and try again."
        case .idTokenRevoked, .sessionCookieRevoked: "Sign in again."
        case .invalidSessionCookie: "Sign in again to get a new session cookie."
        case .sessionCookieExpired: "Sign in again to get a new session cookie."
        case .tenantMismatch: "Sign in with the tenant that this service expects."
        case .userDisabled: "This user is not permitted to sign in; contact the operator of the service."
        case .requiresRecentLogin: "Sign in again, then repeat the request with the new token."
        case .secondFactorRequired: "Sign in with a second factor, then repeat the request with the new token."
        case .missingAppToken: "Send an App Check token in the X-Firebase-AppCheck field."
        case .invalidAppToken: "Get a fresh App Check token for this service and try again."
        case .appTokenExpired: "Get a fresh App Check token and try again."
        case .appTokenUsed: "Get a new limited-use App Check token for each request."
        case .appNotAllowed: "Use an app that this route permits."
        case .permissionDenied: "The user is not permitted to do this."
        case .insufficientScope: "Get a token with the scope that this route requires."
        case .crossSite: "Send the request from the service's own site."
        case .routeNotFound: "Check the host and the path."
        case .methodNotAllowed: "Use one of the methods in Allow."
        case .requestTimeout: "Send the complete request faster."
        case .requestTooLarge: "Send a smaller body."
        case .grpcUnsupported: "Use the interface of the service without gRPC."
        case .rateLimited: "Send fewer requests and try again later."
        case .headTooLarge: "Send fewer or smaller header fields."
        case .clientClosed: ""
        case .internalError, .upstreamUnreachable, .upstreamInvalidResponse, .upstreamTimeout: "Try again later."
        case .keysUnavailable, .appKeysUnavailable, .appConsumptionUnavailable, .storeUnavailable,
            .introspectionUnavailable, .overloaded:
            "Try again after the time in Retry-After."
        }
    }

    /// The kinds of `WWW-Authenticate` challenges: `Bearer` (RFC 6750 section 3, RFC 9470 section 3) and `AppCheck`,
    /// which does not concern the user's token.
    package enum Challenge: Sendable {
        /// No challenge.
        case none
        /// `Bearer` without an error: the request had no credential (RFC 6750 section 3.1, last paragraph).
        case plain
        /// `error="invalid_token"`.
        case invalidToken
        /// `error="insufficient_scope"`.
        case insufficientScope
        /// `error="insufficient_user_authentication"`, with `max_age` or `acr_values`.
        case insufficientUserAuthentication
        /// `AppCheck` without an error: the request had no App Check token.
        case appCheck
        /// `AppCheck` with `error="invalid_token"`.
        case invalidAppToken
    }

    /// The challenge of the code: one for each 401, and one for 403 because of a missing scope.
    package var challenge: Challenge {
        switch self {
        case .missingCredential: .plain
        case .requiresRecentLogin, .secondFactorRequired: .insufficientUserAuthentication
        case .insufficientScope: .insufficientScope
        case .missingAppToken: .appCheck
        case .invalidAppToken, .appTokenExpired, .appTokenUsed: .invalidAppToken
        default: status == 401 ? .invalidToken : .none
        }
    }

    /// Whether the response has `Retry-After`: for a temporary outage or a limit.
    package var carriesRetryAfter: Bool {
        status == 503 || self == .rateLimited
    }
}
