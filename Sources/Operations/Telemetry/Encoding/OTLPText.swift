import JOSE
import TextCoding

/// Functions that append OTLP messages in JSON: the JSON mapping of Protocol Buffers with the exceptions of the OTLP
/// specification (section "JSON Protobuf Encoding"). IDs are hexadecimal, 64-bit integers are strings, and enumerations
/// are numbers.
enum OTLPText {
    static func append(_ text: StaticString, to output: inout [UInt8]) {
        output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a 64-bit integer, which is a string.
    static func append(quoted number: some BinaryInteger, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        JSONWriter.appendInteger(number, to: &output)
        output.append(UInt8(ascii: "\""))
    }

    /// Appends 16 hexadecimal digits.
    static func append(hexadecimal value: UInt64, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { digits in
            guard let base = digits.baseAddress else { return }
            HexDigits.write(value, to: base)
            output.append(contentsOf: digits)
        }
    }

    /// Appends the elements, separated by commas, in brackets.
    static func append<Element>(
        _ elements: some Sequence<Element>, to output: inout [UInt8], _ write: (Element, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            write(element, &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    /// Appends a `KeyValue` with a text.
    static func append(_ name: String, _ text: String, to output: inout [UInt8]) {
        appendKey(name, to: &output)
        append(#"{"stringValue":"#, to: &output)
        JSONWriter.appendString(text, to: &output)
        append("}}", to: &output)
    }

    /// Appends a `KeyValue`.
    static func append(_ attribute: SpanAttribute, to output: inout [UInt8]) {
        switch attribute.value {
        case .text(let text): append(attribute.name, text, to: &output)
        case .number(let number):
            appendKey(attribute.name, to: &output)
            append(#"{"intValue":"#, to: &output)
            append(quoted: number, to: &output)
            append("}}", to: &output)
        }
    }

    private static func appendKey(_ name: String, to output: inout [UInt8]) {
        append(#"{"key":"#, to: &output)
        JSONWriter.appendString(name, to: &output)
        append(#","value":"#, to: &output)
    }
}

/// The gateway as the origin of telemetry: `Resource` and `InstrumentationScope` of OTLP.
struct OTLPOrigin: Sendable {
    /// The attributes of the resource with unique names.
    let attributes: [(name: String, value: String)]
    let version: String

    /// Creates the origin.
    ///
    /// - Parameters:
    ///   - instance: The value of `service.instance.id`, unless the configuration sets another.
    ///   - configured: Further attributes. They replace attributes of the gateway with the same name.
    init(service: String, version: String, instance: String, configured: [(name: String, value: String)]) {
        var attributes = [("service.name", service), ("service.version", version), ("service.instance.id", instance)]
        for (name, value) in configured {
            if let index = attributes.firstIndex(where: { $0.0 == name }) {
                attributes[index].1 = value
            } else {
                attributes.append((name, value))
            }
        }
        self.attributes = attributes.map { (name: $0.0, value: $0.1) }
        self.version = version
    }

    /// Appends `"resource":{...}` and a comma.
    func appendResource(to output: inout [UInt8]) {
        OTLPText.append(#""resource":{"attributes":"#, to: &output)
        OTLPText.append(attributes, to: &output) { OTLPText.append($0.name, $0.value, to: &$1) }
        OTLPText.append("},", to: &output)
    }

    /// Appends `"scope":{...}` and a comma.
    func appendScope(to output: inout [UInt8]) {
        OTLPText.append(#""scope":{"name":"gatehouse","version":"#, to: &output)
        JSONWriter.appendString(version, to: &output)
        OTLPText.append("},", to: &output)
    }
}
