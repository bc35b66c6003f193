internal import JOSE

extension JSON {
    /// The compact JSON text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The compact JSON text in UTF-8.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: String(value).utf8)
        case .integer(let value): JSONWriter.appendInteger(value, to: &output)
        case .number(let value): output.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .string(let value): JSONWriter.appendString(value, to: &output)
        case .array(let elements): Self.append(elements, to: &output)
        case .object(let object): Self.append(object, to: &output)
        case .raw(let text): output.append(contentsOf: text.utf8)
        }
    }

    private static func append(_ elements: [JSON], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            element.append(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private static func append(_ object: JSONObject, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for member in object.members {
            JSONWriter.appendName(member.name, to: &output)
            member.value.append(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension JSONObject {
    /// The compact JSON text in UTF-8.
    public var bytes: [UInt8] { JSON.object(self).bytes }
    /// The compact JSON text.
    public var text: String { JSON.object(self).text }
}
