package import SecurityRules
import TextCoding

/// The form in which rules read a query: `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), parsed
/// strictly.
package enum QueryText {
    /// The maximum number of parameters. A query with more is unreadable as a whole.
    static let maximumParameters = 256

    /// Returns a map of values by name.
    ///
    /// A value is unreadable if it is not UTF-8, has an invalid escape, or its name occurs twice, because servers
    /// differ in which one they use. If a name is unreadable, the whole query is, because its interpretation by servers
    /// is unknown.
    ///
    /// - Parameter hidden: The name of a parameter to omit. `nil` to omit none.
    package static func value(of query: UnsafeRawBufferPointer, hiding hidden: [UInt8]? = nil) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        // Keyed by bytes: canonically equivalent names are different.
        var places: [[UInt8]: Int] = [:]
        for parameter in query.split(separator: UInt8(ascii: "&")) {
            guard entries.count < maximumParameters else { return .unreadable }
            let end = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            guard let name = FormEncoding.decoded(parameter[..<end]), let key = String(validating: name, as: UTF8.self)
            else { return .unreadable }
            if name == hidden { continue }
            if let place = places[name] {
                entries[place].value = .unreadable
            } else {
                places[name] = entries.count
                let value = FormEncoding.decodedText(parameter[end...].dropFirst())
                entries.append((key, value.map(RuleValue.string) ?? .unreadable))
            }
        }
        return .map(RuleMap(entries))
    }
}
