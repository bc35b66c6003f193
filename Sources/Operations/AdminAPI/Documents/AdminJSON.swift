import GatewayCore
import JOSE

/// The members of one JSON object, written one after the other.
struct AdminJSON {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// A whole object.
    static func object(_ write: (inout AdminJSON) -> Void) -> [UInt8] {
        var json = AdminJSON()
        write(&json)
        return json.bytes + [UInt8(ascii: "}")]
    }

    mutating func member(_ name: String, _ value: String?) {
        JSONWriter.appendName(name, to: &bytes)
        if let value { JSONWriter.appendString(value, to: &bytes) } else { bytes += "null".utf8 }
    }

    mutating func member(_ name: String, _ value: Int64?) {
        JSONWriter.appendName(name, to: &bytes)
        if let value { JSONWriter.appendInteger(value, to: &bytes) } else { bytes += "null".utf8 }
    }

    mutating func member(_ name: String, _ time: UnixTime?) { member(name, time?.seconds) }

    mutating func member(_ name: String, _ value: Bool) {
        JSONWriter.appendName(name, to: &bytes)
        bytes += (value ? "true" : "false").utf8
    }

    /// An object; null where there is none.
    mutating func member<Value>(_ name: String, _ value: Value?, members write: (Value, inout AdminJSON) -> Void) {
        JSONWriter.appendName(name, to: &bytes)
        if let value { bytes += Self.object { write(value, &$0) } } else { bytes += "null".utf8 }
    }

    /// A list of strings.
    mutating func member(_ name: String, _ values: [String]) {
        list(name, values) { JSONWriter.appendString($0, to: &$1) }
    }

    /// A list of objects.
    mutating func member<Element>(
        _ name: String, _ elements: [Element], object write: (Element, inout AdminJSON) -> Void
    ) {
        list(name, elements) { element, output in output += Self.object { write(element, &$0) } }
    }

    private mutating func list<Element>(
        _ name: String, _ elements: [Element], write: (Element, inout [UInt8]) -> Void
    ) {
        JSONWriter.appendName(name, to: &bytes)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
