import CivilCalendar
package import GatewayCore
package import JOSE

/// A request and a user that an operator states, to evaluate rules for them. Nothing in it was sent by a client.
package struct RuleQuestion: Sendable {
    /// The maximum number of fields.
    private static let maximumHeaders = 64

    /// The method.
    package var method = "GET"
    /// The path, and the query after a question mark.
    package var path = "/"
    /// The value of `Host`.
    package var host = "localhost"
    /// The fields.
    package var headers: [(name: String, value: String)] = []
    /// The `auth` variable: an object. `nil` if the request is anonymous.
    package var auth: JSONValue?
    /// The ID and the name of the verified app. `nil` without an App Check token.
    package var app: (id: String, name: String)?
    /// `request.time`. `nil` for now.
    package var time: UnixTime?
    /// The text of a rules file in place of the active one. `nil` for the active one.
    package var rules: String?

    /// Parses a body. Throws if it has another form.
    package init(_ body: [UInt8]) throws(AdministrationError) {
        // Browsers escape characters of rules, so that the bound of the body applies.
        let limits = JSONLimits(size: 65_536, depth: 32, members: 4_096)
        guard let document = try? JSONDocument(body, limits: limits), document.root.kind == .object else {
            throw .invalid("The body is not a JSON object with at most 4,096 values and 32 levels.")
        }
        for (name, value) in document.root.members { try read(name, value) }
        // The values become lines of a head. A value with a line break would add a line.
        let parts = [method, path, host] + headers.flatMap { [$0.name, $0.value] }
        guard parts.allSatisfy({ $0.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) } }) else {
            throw .invalid("The request has a control character.")
        }
    }

    private mutating func read(_ name: String, _ value: JSONValue) throws(AdministrationError) {
        switch name {
        case "method": method = try Self.text(value, of: name)
        case "path": path = try Self.text(value, of: name)
        case "host": host = try Self.text(value, of: name)
        case "headers":
            guard value.kind == .object, value.count <= Self.maximumHeaders else {
                throw .invalid("\"headers\" is not an object with at most \(Self.maximumHeaders) members.")
            }
            for (field, text) in value.members { headers.append((field, try Self.text(text, of: name))) }
        case "auth":
            guard value.kind == .object || value.kind == .null else {
                throw .invalid("\"auth\" is neither an object nor null.")
            }
            auth = value.kind == .null ? nil : value
        case "app": app = value.kind == .null ? nil : try Self.app(value)
        case "time":
            guard value.kind != .null else { return }
            guard let seconds = value.integer ?? value.string.flatMap(RFC3339.seconds), let time = UnixTime(seconds)
            else {
                throw .invalid(
                    "\"time\" is not a time. Send whole seconds since 1970, or a string such as 2026-01-31T09:00:00Z.")
            }
            self.time = time
        case "rules": rules = value.kind == .null ? nil : try Self.text(value, of: name)
        default:
            throw .invalid(
                "The body has an unknown member. Known: app, auth, headers, host, method, path, rules, time.")
        }
    }

    private static func app(_ value: JSONValue) throws(AdministrationError) -> (id: String, name: String) {
        guard value.kind == .object, value.count == 2, let id = value["id"]?.string, let name = value["name"]?.string
        else { throw .invalid("\"app\" is not an object with the strings id and name.") }
        return (id, name)
    }

    private static func text(_ value: JSONValue, of name: String) throws(AdministrationError) -> String {
        guard let text = value.string else { throw .invalid("\"\(name)\" is not text.") }
        return text
    }
}
