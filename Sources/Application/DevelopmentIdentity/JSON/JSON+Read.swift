extension JSON {
    /// The text of a string.
    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, where it is an integer.
    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The elements of an array.
    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension JSONObject {
    /// Reads an object, as ``JSON/init(parsing:)``.
    init?(parsing bytes: [UInt8]) {
        guard case .object(let object)? = JSON(parsing: bytes) else { return nil }
        self = object
    }
}
