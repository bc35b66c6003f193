package import JOSE

/// A JSON object under construction.
package struct ObjectText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    package mutating func add(_ name: String, _ value: String) {
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendString(value, to: &text)
    }

    package mutating func add(_ name: String, _ value: Int64) {
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendInteger(value, to: &text)
    }

    package mutating func add(_ name: String, _ time: UnixTime) { add(name, time.seconds) }

    package mutating func add(_ name: String, _ value: Bool) {
        add(name, json: Array((value ? "true" : "false").utf8))
    }

    package mutating func add(_ name: String, _ values: [String]) {
        JSONWriter.appendName(name, to: &text)
        text.append(UInt8(ascii: "["))
        for (place, value) in values.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(value, to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }

    package mutating func add(_ name: String, json value: [UInt8]) {
        JSONWriter.appendName(name, to: &text)
        text.append(contentsOf: value)
    }

    package mutating func add(_ name: String, _ value: JSONValue) {
        JSONWriter.appendName(name, to: &text)
        value.appendCompact(to: &text)
    }

    /// The whole object.
    package var bytes: [UInt8] { text + [UInt8(ascii: "}")] }
    /// The members without the braces, as a problem document takes them.
    package var members: [UInt8] { Array(text.dropFirst()) }
}
