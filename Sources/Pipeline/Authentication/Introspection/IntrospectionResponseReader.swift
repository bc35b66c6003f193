import CivilCalendar
import GatewayCore
package import JOSE

/// Typed access to the members of a provider's response. A member that is `null` is treated as absent.
package struct IntrospectionResponseReader {
    private let object: JSONValue

    /// Creates a reader of `value`.
    ///
    /// - Throws: `malformed` if the value is not an object.
    package init(_ value: JSONValue?, _ name: String) throws(Unproven) {
        guard let value, value.kind == .object else { throw .malformed("\(name) is not an object") }
        object = value
    }

    package subscript(_ name: String) -> JSONValue? {
        guard let value = object[name], value.kind != .null else { return nil }
        return value
    }

    package func text(_ name: String) throws(Unproven) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .malformed("\(name) is not a string") }
        return text
    }

    func flag(_ name: String) throws(Unproven) -> Bool {
        guard let flag = self[name]?.bool else { throw .malformed("\(name) is not a boolean") }
        return flag
    }

    func texts(_ name: String) throws(Unproven) -> [String] {
        guard let value = self[name] else { return [] }
        let texts = value.elements.map(\.string)
        guard value.kind == .array, texts.allSatisfy({ $0 != nil }) else {
            throw .malformed("\(name) is not an array of strings")
        }
        return texts.compactMap(\.self)
    }

    /// Returns a number of whole seconds, rounded down. A number outside 64 bits is clamped.
    package func seconds(_ name: String) throws(Unproven) -> Int64? {
        guard let value = self[name] else { return nil }
        if let seconds = value.integer { return seconds }
        guard let number = value.double?.rounded(.down) else { throw .malformed("\(name) is not a number") }
        return Int64(exactly: number) ?? (number < 0 ? .min : .max)
    }

    /// Returns a time in seconds since 1970. A token with an earlier time is rejected for `reason`.
    func time(_ name: String, else reason: VerificationFailure.Reason) throws(Unproven) -> UnixTime? {
        guard let seconds = try seconds(name) else { return nil }
        return try Self.time(seconds, else: reason)
    }

    /// Returns a time in RFC 3339 format. `reason` has the same meaning as for `time`.
    func date(_ name: String, else reason: VerificationFailure.Reason) throws(Unproven) -> UnixTime? {
        guard let text = try text(name) else { return nil }
        guard let seconds = RFC3339.seconds(text) else { throw .malformed("\(name) is not an RFC 3339 time") }
        return try Self.time(seconds, else: reason)
    }

    private static func time(_ seconds: Int64, else reason: VerificationFailure.Reason) throws(Unproven) -> UnixTime {
        guard let time = UnixTime(claim: seconds) else { throw .refused(reason) }
        return time
    }
}
