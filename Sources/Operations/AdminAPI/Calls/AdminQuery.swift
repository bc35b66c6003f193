import TextCoding

/// The query of a call: parameters that occur at most once, with names that the call knows.
struct AdminQuery: Equatable, Sendable {
    /// The maximum size, in bytes.
    static let longest = 2048

    private let text: Substring

    /// Creates the query of a request's target. Empty without one.
    init(target: String) {
        text = target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? ""
    }

    /// Returns the values by name. Throws if the query is too long, has another name, or a name twice.
    func values(_ names: Set<String>) throws(AdministrationError) -> [String: String] {
        guard text.utf8.count <= Self.longest else {
            throw .invalid("The query is longer than \(Self.longest) bytes.")
        }
        var values: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = Self.decoded(pair[0]), let value = Self.decoded(pair[1]) else {
                throw .invalid("A parameter of the query is not NAME=VALUE in percent encoding.")
            }
            guard names.contains(name) else {
                throw .invalid("The query has an unknown parameter. Known: \(names.sorted().joined(separator: ", ")).")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid("The parameter \(name) occurs twice.")
            }
        }
        return values
    }

    private static func decoded(_ text: Substring) -> String? {
        guard let bytes = PercentEncoding.decoded(text.utf8), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [String: String] {
    /// Returns a whole number within bounds. `nil` without the parameter.
    func number(_ name: String, in bounds: ClosedRange<Int64>) throws(AdministrationError) -> Int64? {
        guard let text = self[name] else { return nil }
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
            let number = Int64(text), bounds.contains(number)
        else { throw .invalid("\(name) is not a whole number from \(bounds.lowerBound) to \(bounds.upperBound).") }
        return number
    }
}
