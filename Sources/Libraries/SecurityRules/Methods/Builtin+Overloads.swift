/// An overload of a built-in call.
struct Overload: Sendable {
    /// The kinds of receivers. `nil` for functions.
    var receiver: KindSet?
    var parameters: [KindSet]
    /// The number of required parameters.
    var required: Int
    var result: KindSet

    init(_ receiver: KindSet?, _ parameters: [KindSet], optional: Int = 0, _ result: KindSet) {
        self.receiver = receiver
        self.parameters = parameters
        required = parameters.count - optional
        self.result = result
    }
}

extension Builtin {
    /// All overloads.
    var overloads: [Overload] {
        switch self {
        case .size:
            [Overload([.string, .bytes, .list, .set, .map], [], .integer)]
        case .lower, .upper, .trim: [Overload(.string, [], .string)]
        case .replace: [Overload(.string, [.string, .string], .string)]
        case .split: [Overload(.string, [.string], .list)]
        case .matches: [Overload(.string, [.string], .bool)]
        case .toUtf8: [Overload(.string, [], .bytes)]
        case .concat: [Overload(.list, [.list], .list)]
        case .join: [Overload(.list, [.string], .string)]
        case .hasAll, .hasAny, .hasOnly:
            [Overload([.list, .set], [[.list, .set]], .bool)]
        case .removeAll: [Overload(.list, [.list], .list)]
        case .toSet: [Overload(.list, [], .set)]
        case .union, .intersection, .difference: [Overload(.set, [.set], .set)]
        case .keys, .values: [Overload(.map, [], .list)]
        case .get: [Overload(.map, [[.string, .list], .any], .any)]
        case .diff: [Overload(.map, [.map], .mapDiff)]
        case .addedKeys, .removedKeys, .changedKeys, .unchangedKeys, .affectedKeys: [Overload(.mapDiff, [], .set)]
        case .toBase64, .toHexString: [Overload(.bytes, [], .string)]
        case .bind: [Overload(.path, [.map], .path)]
        default: timeOverloads ?? functionOverloads
        }
    }

    private var timeOverloads: [Overload]? {
        switch self {
        case .year, .month, .day, .hours, .minutes, .dayOfWeek, .dayOfYear, .toMillis:
            [Overload(.timestamp, [], .integer)]
        case .seconds, .nanos: [Overload([.timestamp, .duration], [], .integer)]
        case .date: [Overload(.timestamp, [], .timestamp)]
        case .time: [Overload(.timestamp, [], .duration)]
        default: nil
        }
    }

    private var functionOverloads: [Overload] {
        switch self {
        case .mathAbs: [Overload(nil, [.number], .number)]
        case .mathCeil, .mathFloor, .mathRound: [Overload(nil, [.number], .integer)]
        case .mathPow: [Overload(nil, [.number, .number], .float)]
        case .mathSqrt: [Overload(nil, [.number], .float)]
        case .mathIsNaN, .mathIsInfinite: [Overload(nil, [.number], .bool)]
        case .hashingMD5, .hashingSHA256, .hashingCRC32, .hashingCRC32C:
            [Overload(nil, [[.string, .bytes]], .bytes)]
        case .timestampDate: [Overload(nil, [.integer, .integer, .integer], .timestamp)]
        case .timestampValue: [Overload(nil, [.integer], .timestamp)]
        case .durationValue: [Overload(nil, [.integer, .string], .duration)]
        case .durationTime: [Overload(nil, [.integer, .integer, .integer, .integer], .duration)]
        case .durationAbs: [Overload(nil, [.duration], .duration)]
        case .toInteger: [Overload(nil, [[.string, .integer, .float]], .integer)]
        case .toFloat: [Overload(nil, [[.string, .integer, .float]], .float)]
        case .toString: [Overload(nil, [[.string, .integer, .float, .bool, .null, .path]], .string)]
        case .toBool: [Overload(nil, [[.string, .bool]], .bool)]
        case .toPath: [Overload(nil, [[.string, .path]], .path)]
        case .debug: [Overload(nil, [.any], .any)]
        case .recentSignIn: [Overload(nil, [.duration], .bool)]
        case .secondFactor: [Overload(nil, [], .bool)]
        default: []
        }
    }
}
