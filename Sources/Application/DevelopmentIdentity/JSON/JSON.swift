/// A JSON value for output: claims, headers and responses of the development servers.
///
/// It can be created from literals: `["role": "admin", "level": 3]`.
public indirect enum JSON: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int64)
    /// Any other number. A number that is not finite is written as `null`.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object with ordered members.
    case object(JSONObject)
    /// Text that is written unchanged, valid or not.
    case raw(String)
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSON: ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Creates an object with the members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (name, value) in elements { object.append(name, value) }
        self = .object(object)
    }
}
