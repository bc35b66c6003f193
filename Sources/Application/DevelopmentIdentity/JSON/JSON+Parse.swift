internal import JOSE

extension JSON {
    /// Parses JSON strictly: no duplicate members, at most 512 KiB, 32 levels and 32768 values.
    ///
    /// Integers beyond 64 bits become `raw`, so that they are preserved. `nil` if the text is not JSON.
    public init?(parsing bytes: [UInt8]) {
        let limits = JSONLimits(size: 524_288, depth: 32, members: 32_768)
        guard let document = try? JSONDocument(bytes, limits: limits) else { return nil }
        self.init(document.root)
    }

    private init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .bool: self = .bool(value.bool == true)
        case .string: self = .string(value.string ?? "")
        case .integer: self = value.integer.map(JSON.integer) ?? .verbatim(value)
        case .number: self = .verbatim(value)
        case .array: self = .array(value.elements.map(JSON.init))
        case .object:
            var object = JSONObject()
            for (name, member) in value.members { object.append(name, JSON(member)) }
            self = .object(object)
        }
    }

    private static func verbatim(_ value: JSONValue) -> JSON {
        var text: [UInt8] = []
        value.appendCompact(to: &text)
        return .raw(String(decoding: text, as: UTF8.self))
    }
}

extension JSON {
    /// The value of a string.
    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer.
    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The elements of an array.
    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension JSONObject {
    /// Parses an object; see ``JSON/init(parsing:)``.
    init?(parsing bytes: [UInt8]) {
        guard case .object(let object)? = JSON(parsing: bytes) else { return nil }
        self = object
    }
}
