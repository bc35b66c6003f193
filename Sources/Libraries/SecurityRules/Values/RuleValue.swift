/// A value of the rules language.
///
/// Copies are cheap, since long values are shared. Strings are compared and ordered by UTF-8, never by canonical
/// equivalence.
public enum RuleValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case float(Double)
    case string(String)
    case bytes([UInt8])
    case list([RuleValue])
    case map(RuleMap)
    case set(RuleSet)
    case mapDiff(RuleMapDiff)
    case timestamp(RuleTimestamp)
    case duration(RuleDuration)
    case path(RulePath)
    /// A present value that rules cannot read: a number beyond 64 bits, invalid UTF-8, or a repeated name in a query.
    /// Every use except a test for presence is an error.
    case unreadable

    /// The kind of a value, as in messages and `is`.
    public enum Kind: UInt8, Sendable, CaseIterable {
        case null, bool, integer, float, string, bytes, list, map, set, mapDiff, timestamp, duration, path, unreadable
    }

    /// The kind of the value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .integer: .integer
        case .float: .float
        case .string: .string
        case .bytes: .bytes
        case .list: .list
        case .map: .map
        case .set: .set
        case .mapDiff: .mapDiff
        case .timestamp: .timestamp
        case .duration: .duration
        case .path: .path
        case .unreadable: .unreadable
        }
    }
}

extension RuleValue.Kind {
    /// The type name that `is` accepts, if any, otherwise the kind's own name for messages.
    public var name: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .integer: "int"
        case .float: "float"
        case .string: "string"
        case .bytes: "bytes"
        case .list: "list"
        case .map: "map"
        case .set: "set"
        case .mapDiff: "map_diff"
        case .timestamp: "timestamp"
        case .duration: "duration"
        case .path: "path"
        case .unreadable: "unreadable"
        }
    }
}

/// The possible kinds of a value before its evaluation.
struct KindSet: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ kind: RuleValue.Kind) {
        rawValue = 1 << UInt16(kind.rawValue)
    }

    static let null = KindSet(.null)
    static let bool = KindSet(.bool)
    static let integer = KindSet(.integer)
    static let float = KindSet(.float)
    static let number: KindSet = [integer, float]
    static let string = KindSet(.string)
    static let bytes = KindSet(.bytes)
    static let list = KindSet(.list)
    static let map = KindSet(.map)
    static let set = KindSet(.set)
    static let mapDiff = KindSet(.mapDiff)
    static let timestamp = KindSet(.timestamp)
    static let duration = KindSet(.duration)
    static let path = KindSet(.path)
    static let any = RuleValue.Kind.allCases.reduce(into: KindSet()) { $0.insert(KindSet($1)) }
}
