import GatewayCore

extension Configuration {
    /// Response fields that are set and removed (`response_headers`, `routes[].response_headers`).
    package struct ResponseHeaders: Sendable, Hashable {
        /// A field to set.
        package struct Field: Sendable, Hashable {
            /// Its name.
            package var name: String
            /// Its value: visible ASCII with inner spaces.
            package var value: String

            /// Creates a field.
            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The maximum number of fields to set, and to remove.
        package static let maximumFields = 32
        /// The maximum size of a value, in bytes.
        package static let longestValue = 4_096

        /// Fields that are set in all responses and replace the upstream's (`set`), at most 32, in the order of the
        /// file. Default: none.
        package var set: [Field] = []
        /// Names of upstream response fields that are removed (`remove`), at most 32. Default: none.
        package var remove: [String] = []

        /// Creates an empty policy.
        package init() {}
    }
}

extension ConfigurationValue {
    /// Returns the response fields to set and to remove.
    func responseHeaders() -> Configuration.ResponseHeaders? {
        guard let mapping = mapping(.responseHeaders) else { return nil }
        var headers = Configuration.ResponseHeaders()
        mapping.set(&headers.set, "set", Configuration.ResponseHeaders.fields)
        mapping.set(&headers.remove, "remove", Configuration.ResponseHeaders.names)
        let removed = Set(headers.remove.map(FieldName.normalized))
        if let both = headers.set.first(where: { removed.contains(FieldName.normalized($0.name)) }) {
            return fail(
                "\(name) both sets and removes \(Quoted(both.name))",
                "remove one of them; set replaces the upstream's field")
        }
        return headers
    }
}

extension Configuration.ResponseHeaders {
    fileprivate static func fields(_ value: ConfigurationValue) -> [Field]? {
        guard let entries = value.entries().flatMap({ value.bounded($0, maximumFields, of: "fields") }) else {
            return nil
        }
        var seen: Set<String> = []
        return entries.compactMap { entry in
            if let problem = ResponseFieldNames.problem(withSetting: entry.key) {
                entry.fail(problem.what, problem.remedy)
                return nil
            }
            guard seen.insert(FieldName.normalized(entry.key)).inserted else {
                entry.fail(
                    "duplicate field \(Quoted(entry.key)) in \(value.name)",
                    "remove one of them; names are compared without case, and '_' equals '-'")
                return nil
            }
            return text(entry.value).map { Field(name: entry.key, value: $0) }
        }
    }

    private static func text(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: longestValue) else { return nil }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), text.first != " ", text.last != " " else {
            return value.fail(
                "\(value.name) is not a valid field value", "write visible ASCII without leading or trailing spaces")
        }
        return text
    }

    fileprivate static func names(_ value: ConfigurationValue) -> [String]? {
        value.oneOrList(atMost: maximumFields, of: "fields") { element in
            guard let name = element.string(atMost: 128) else { return nil }
            guard let problem = ResponseFieldNames.problem(withRemoving: name) else { return name }
            return element.fail(problem.what, problem.remedy)
        }
    }
}

/// The response fields that a configuration may change.
enum ResponseFieldNames {
    /// Returns the reason that a field cannot be set. `nil` if it can.
    static func problem(withSetting name: String) -> (what: String, remedy: String)? {
        if let problem = problem(withRemoving: name) { return problem }
        let normalized = FieldName.normalized(name)
        if normalized.hasPrefix("access-control-") {
            return ("the field \(Quoted(name)) cannot be set here", "use the route's cors")
        }
        guard !onlyRemoved.contains(normalized), !FieldName.isForgeable(normalized) else {
            return (
                "the field \(Quoted(name)) describes an individual response, so it cannot have a fixed value",
                "remove it"
            )
        }
        return nil
    }

    /// Returns the reason that a field cannot be removed. `nil` if it can.
    static func problem(withRemoving name: String) -> (what: String, remedy: String)? {
        guard FieldName.isValid(name) else {
            return ("\(Quoted(name)) is not a field name", "write a name as in Server")
        }
        let normalized = FieldName.normalized(name)
        if FieldName.belongsToConnection(normalized) {
            return ("the field \(Quoted(name)) frames the message or belongs to the connection", "remove it")
        }
        guard !untouched.contains(normalized), !normalized.hasPrefix("sec-websocket-") else {
            return ("clients need the field \(Quoted(name)) to interpret the response", "remove it")
        }
        return nil
    }

    private static let untouched: Set<String> = [
        "content-encoding", "content-range", "content-type", "date", "location", "grpc-status", "grpc-message",
    ]

    private static let onlyRemoved: Set<String> = [
        "accept-ranges", "age", "allow", "etag", "expires", "last-modified", "retry-after", "set-cookie", "vary",
        "www-authenticate",
    ]
}
