package import GatewayCore
import JOSE

/// Claims under construction, as JSON text.
package struct ClaimsText {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendString(value, to: &text)
    }

    package mutating func add(_ name: String, _ value: UnixTime?) {
        guard let value else { return }
        JSONWriter.appendName(name, to: &text)
        JSONWriter.appendInteger(value.seconds, to: &text)
    }

    /// The value as it was answered.
    mutating func add(_ name: String, json value: JSONValue) {
        JSONWriter.appendName(name, to: &text)
        value.appendCompact(to: &text)
    }

    /// The whole object.
    package var bytes: [UInt8] { text + [UInt8(ascii: "}")] }
}
