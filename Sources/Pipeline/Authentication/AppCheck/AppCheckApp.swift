package import GatewayCore
package import SecurityRules

/// An app whose App Check tokens are accepted.
package final class AppCheckApp: Sendable {
    /// The App ID: the exact `sub`.
    package let id: String
    /// The name in routes, rules, logs and metrics.
    package let name: String
    /// The bit of the app in a route's set of permitted apps.
    package let bit: UInt64
    /// The row of the app in the metrics. -1 without one.
    package let counterPlace: Int
    /// The field line for upstreams with its CRLF. Empty if it is not sent.
    package let line: [UInt8]
    /// `request.app` of rules.
    package let variable: RuleValue

    /// Creates an app.
    ///
    /// - Parameter index: The position in the configuration, less than 64.
    package init(id: String, name: String, index: Int, counterPlace: Int, field: String?) {
        self.id = id
        self.name = name
        bit = 1 << UInt64(index)
        self.counterPlace = counterPlace
        line = field.map { Array("\($0): \(id)\r\n".utf8) } ?? []
        variable = .map(RuleMap([("id", .string(id)), ("name", .string(name))]))
    }
}

/// The proof of an app that a verified App Check token gives.
package struct AppCheckProof: Sendable {
    package let app: AppCheckApp
    /// When the token expires. From this time on it is invalid.
    package let expiresAt: UnixTime

    package init(app: AppCheckApp, expiresAt: UnixTime) {
        self.app = app
        self.expiresAt = expiresAt
    }
}
