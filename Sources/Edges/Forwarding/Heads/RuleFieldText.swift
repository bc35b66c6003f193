import Authentication
import JOSE
import SecurityRules

/// The text of a header field from the value of an expression.
enum RuleFieldText {
    /// The maximum size of one value, in bytes. A larger value makes the identity fields too large.
    private static let limit = RenderedIdentity.limit + 1

    /// Returns text unchanged. Numbers, Booleans, times and paths are written as in rules; lists, sets and maps as
    /// JSON. `nil` for `null` and for values without a text form: bytes, map differences, and unreadable values.
    static func text(of value: RuleValue) -> [UInt8]? {
        switch value {
        case .null, .bytes, .mapDiff, .unreadable: return nil
        case .string(let text): return Array(text.utf8)
        case .bool, .integer, .float, .timestamp, .duration, .path: return scalar(value).map { Array($0.utf8) }
        case .list, .set, .map:
            var json: [UInt8] = []
            return append(value, to: &json) ? json : nil
        }
    }

    private static func scalar(_ value: RuleValue) -> String? {
        switch value {
        case .bool, .integer: value.text
        // JSON has no other numbers.
        case .float(let float): float.isFinite ? value.text : nil
        case .timestamp(let time): time.text
        case .duration(let span): span.text
        case .path(let path): path.text
        default: nil
        }
    }

    /// Appends a value. Returns `false` if a part of it has no text form.
    private static func append(_ value: RuleValue, to json: inout [UInt8]) -> Bool {
        guard json.count <= limit else { return true }
        switch value {
        case .null: json.append(contentsOf: "null".utf8)
        case .string(let text): JSONWriter.appendString(text, to: &json)
        case .bool, .integer, .float:
            guard let text = scalar(value) else { return false }
            json.append(contentsOf: text.utf8)
        case .timestamp, .duration, .path:
            guard let text = scalar(value) else { return false }
            JSONWriter.appendString(text, to: &json)
        case .list(let elements): return append(elements, to: &json)
        case .set(let set): return append(set.elements, to: &json)
        case .map(let map): return append(map, to: &json)
        case .bytes, .mapDiff, .unreadable: return false
        }
        return true
    }

    private static func append(_ elements: [RuleValue], to json: inout [UInt8]) -> Bool {
        json.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            guard append(element, to: &json) else { return false }
        }
        json.append(UInt8(ascii: "]"))
        return true
    }

    private static func append(_ map: RuleMap, to json: inout [UInt8]) -> Bool {
        json.append(UInt8(ascii: "{"))
        for (key, value) in map.entries {
            JSONWriter.appendName(key, to: &json)
            guard append(value, to: &json) else { return false }
        }
        json.append(UInt8(ascii: "}"))
        return true
    }
}
