import GatewayCore
package import SecurityRules
import TextCoding

/// A query as rules read it: the text of `application/x-www-form-urlencoded` (WHATWG URL, section 5.1), strictly.
package enum QueryText {
    /// The most parameters that are read; a query with more is unreadable as a whole.
    static let maximumParameters = 256

    /// A map of texts by name.
    ///
    /// A value is unreadable that is not UTF-8 or has an invalid escape, and so is one whose name stands there twice: services differ in which
    /// they take. Where a name cannot be read, the whole is unreadable: nobody can say what a service takes it for.
    ///
    /// - Parameter hidden: the name of a parameter that is not told of; nil: all are.
    package static func value(of query: UnsafeRawBufferPointer, hiding hidden: [UInt8]? = nil) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        // By bytes: names that are only canonically equivalent are two.
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
