package import JOSE

/// A builder of a JSON object. An absent value adds no member, unless the method states otherwise.
package struct ObjectText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// Builds a whole object.
    package static func object(_ write: (inout ObjectText) -> Void) -> [UInt8] {
        var object = ObjectText()
        write(&object)
        return object.bytes
    }

    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendString(value, to: &text)
    }

    package mutating func add(_ name: String, _ value: Int64) {
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendInteger(value, to: &text)
    }

    package mutating func add(_ name: String, _ time: UnixTime?) {
        if let time { add(name, time.seconds) }
    }

    package mutating func add(_ name: String, _ value: Bool) { add(name, json: Array("\(value)".utf8)) }

    package mutating func add(_ name: String, _ values: [String]) {
        add(name, each: values) { JSONWriter.appendString($0, to: &$1) }
    }

    package mutating func add(_ name: String, json value: [UInt8]) {
        JSONWriter.appendName(name, to: &text)
        text += value
    }

    package mutating func add(_ name: String, _ value: JSONValue) {
        JSONWriter.appendName(name, to: &text)
        value.appendCompact(to: &text)
    }

    /// Adds a list of objects.
    package mutating func add<Element>(
        _ name: String, _ elements: [Element], object write: (Element, inout ObjectText) -> Void
    ) {
        add(name, each: elements) { element, output in output += Self.object { write(element, &$0) } }
    }

    package mutating func add(_ name: String, orNull value: String?) {
        if let value { add(name, value) } else { add(name, json: Self.null) }
    }

    package mutating func add(_ name: String, orNull value: Int64?) {
        if let value { add(name, value) } else { add(name, json: Self.null) }
    }

    package mutating func add(_ name: String, orNull value: Bool?) {
        if let value { add(name, value) } else { add(name, json: Self.null) }
    }

    package mutating func add(_ name: String, orNull time: UnixTime?) { add(name, orNull: time?.seconds) }

    /// Adds an object or null.
    package mutating func add<Value>(
        _ name: String, orNull value: Value?, object write: (Value, inout ObjectText) -> Void
    ) {
        add(name, json: value.map { value in Self.object { write(value, &$0) } } ?? Self.null)
    }

    /// The whole object.
    package var bytes: [UInt8] { text + [UInt8(ascii: "}")] }
    /// The members without the braces, for a problem document.
    package var members: [UInt8] { Array(text.dropFirst()) }

    private static let null = Array("null".utf8)

    private mutating func add<Element>(
        _ name: String, each elements: [Element], write: (Element, inout [UInt8]) -> Void
    ) {
        JSONWriter.appendName(name, to: &text)
        text.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            write(element, &text)
        }
        text.append(UInt8(ascii: "]"))
    }
}
