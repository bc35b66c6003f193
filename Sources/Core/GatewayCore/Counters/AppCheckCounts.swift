/// The result of checking the App Check token of one request. The first four are the words of Firebase's own metrics.
package enum AppCheckResult: UInt8, CaseIterable, Sendable {
    /// The request has a valid token.
    case verified
    /// No token, but the request was sent by a Firebase SDK.
    case outdated
    /// No token, and no sign of a Firebase SDK.
    case unknown
    /// The token is invalid.
    case invalid
    /// The token could not be checked, because its keys are unavailable.
    case unavailable

    /// The name in logs and metrics.
    package var name: StaticString {
        switch self {
        case .verified: "verified"
        case .outdated: "outdated"
        case .unknown: "unknown"
        case .invalid: "invalid"
        case .unavailable: "unavailable"
        }
    }
}

/// The numbers of checked App Check tokens by route, app and result. Only combinations that occurred take memory.
package struct AppCheckCounts: Sendable, Equatable {
    /// The labels of one number.
    package struct Key: Hashable, Sendable {
        /// The row of the route in the metrics. -1 is "no route".
        package let route: Int
        /// The row of the app in the metrics. -1 without a verified app.
        package let app: Int
        package let result: AppCheckResult
    }

    /// The maximum number of combinations. Further ones are counted without their route and app.
    static let limit = 8_192

    package private(set) var counts: [Key: UInt64] = [:]

    mutating func add(_ amount: UInt64 = 1, to key: Key) {
        if counts[key] == nil, counts.count >= Self.limit {
            counts[Key(route: -1, app: -1, result: key.result), default: 0] &+= amount
        } else {
            counts[key, default: 0] &+= amount
        }
    }

    mutating func merge(_ other: AppCheckCounts) {
        for (key, count) in other.counts { add(count, to: key) }
    }

    /// Removes the numbers of a route whose row was reassigned.
    mutating func clear(route: Int) {
        for key in counts.keys where key.route == route { counts[key] = nil }
    }
}
