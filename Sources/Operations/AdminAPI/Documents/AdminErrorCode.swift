/// The error codes of the admin listener. The list is part of the public contract.
enum AdminErrorCode: String, CaseIterable, Sendable {
    case malformed = "request/malformed"
    case missingCredential = "auth/missing-credential"
    case crossSite = "request/cross-site"
    case notFound = "route/not-found"
    case methodNotAllowed = "request/method-not-allowed"
    case timeout = "request/timeout"
    case tooLarge = "request/too-large"
    case readOnly = "admin/read-only"
    case rateLimited = "request/rate-limited"
    case unknownHost = "admin/unknown-host"
    case headTooLarge = "request/head-too-large"
    case storeUnavailable = "auth/store-unavailable"
    case unavailable = "gateway/unavailable"

    var status: Int {
        switch self {
        case .malformed: 400
        case .missingCredential: 401
        case .crossSite, .readOnly: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .tooLarge: 413
        case .unknownHost: 421
        case .rateLimited: 429
        case .headTooLarge: 431
        case .storeUnavailable, .unavailable: 503
        }
    }
}
