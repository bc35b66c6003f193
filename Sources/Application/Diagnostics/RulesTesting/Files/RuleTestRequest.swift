import SecurityRules

/// The request of a test, as rules will see it.
package struct RuleTestRequest: Sendable {
    /// `METHOD PATH?QUERY`, as the file has it.
    package let text: String
    let method: String
    /// The canonical path.
    let path: [UInt8]
    /// What follows the `?`; nil: there is none.
    let query: [UInt8]?
    let host: String
    /// Names in lower case, none twice.
    let headers: [(name: String, value: String)]
    /// Seconds since 1970.
    let time: Int64

    /// `request.time`.
    var timestamp: RuleTimestamp? { RuleTimestamp(seconds: time) }

    /// What it does, in the words of `allow`.
    var operation: RuleOperation? {
        Array(method.utf8).withUnsafeBytes { method in
            path.withUnsafeBytes { RuleOperation(method: method, path: $0) }
        }
    }
}
