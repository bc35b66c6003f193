import SecurityRules

/// The request of a test, as rules read it.
package struct RuleTestRequest: Sendable {
    /// `METHOD PATH?QUERY` as written in the file.
    package let text: String
    let method: String
    /// The canonical path.
    let path: [UInt8]
    /// The query without its `?`. `nil` if absent.
    let query: [UInt8]?
    let host: String
    /// The fields, with unique names in lower case.
    let headers: [(name: String, value: String)]
    /// The verified app. `nil` without an App Check token.
    var app: App?
    /// Seconds since 1970.
    let time: Int64

    /// The app of an App Check token.
    struct App: Sendable {
        let id: String
        let name: String
    }

    /// `request.time`.
    var timestamp: RuleTimestamp? { RuleTimestamp(seconds: time) }

    /// The operation, in the terms of `allow`.
    var operation: RuleOperation? {
        Array(method.utf8).withUnsafeBytes { method in
            path.withUnsafeBytes { RuleOperation(method: method, path: $0) }
        }
    }
}
