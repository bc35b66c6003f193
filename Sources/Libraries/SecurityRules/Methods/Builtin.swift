/// The built-in functions and methods: methods of values, functions of a namespace, and plain functions.
enum Builtin: UInt8, Sendable, CaseIterable {
    // Methods. Their receivers are in `overloads`.
    case size, lower, upper, trim, replace, split, matches, toUtf8
    case concat, join, hasAll, hasAny, hasOnly, removeAll, toSet
    case union, intersection, difference
    case keys, values, get, diff
    case addedKeys, removedKeys, changedKeys, unchangedKeys, affectedKeys
    case toBase64, toHexString
    case year, month, day, hours, minutes, seconds, nanos, dayOfWeek, dayOfYear, date, time, toMillis
    case bind

    // Functions of a namespace.
    case mathAbs, mathCeil, mathFloor, mathRound, mathPow, mathSqrt, mathIsNaN, mathIsInfinite
    case hashingMD5, hashingSHA256, hashingCRC32, hashingCRC32C
    case timestampDate, timestampValue
    case durationValue, durationTime, durationAbs

    // Functions.
    case toInteger, toFloat, toString, toBool, toPath, debug
    /// Whether the user proved their identity at most that long ago.
    case recentSignIn
    /// Whether the user signed in with a second factor.
    case secondFactor
}

extension Builtin {
    /// The namespaces, which are not values.
    static let namespaces = ["math", "hashing", "timestamp", "duration"]

    /// Returns the method with this name, if any.
    static func method(_ name: String) -> Builtin? { methods[name] }

    /// Returns the function of a namespace, if any.
    static func function(_ name: String, in namespace: String) -> Builtin? { functions["\(namespace).\(name)"] }

    /// Returns the plain function with this name, if any.
    static func function(_ name: String) -> Builtin? { functions[name] }

    /// The name in the source: `size`, `math.abs`.
    var name: String { Self.names[self] ?? "" }

    private static let methods: [String: Builtin] = [
        "size": .size, "lower": .lower, "upper": .upper, "trim": .trim, "replace": .replace, "split": .split,
        "matches": .matches, "toUtf8": .toUtf8, "concat": .concat, "join": .join, "hasAll": .hasAll,
        "hasAny": .hasAny, "hasOnly": .hasOnly, "removeAll": .removeAll, "toSet": .toSet, "union": .union,
        "intersection": .intersection, "difference": .difference, "keys": .keys, "values": .values, "get": .get,
        "diff": .diff, "addedKeys": .addedKeys, "removedKeys": .removedKeys, "changedKeys": .changedKeys,
        "unchangedKeys": .unchangedKeys, "affectedKeys": .affectedKeys, "toBase64": .toBase64,
        "toHexString": .toHexString, "year": .year, "month": .month, "day": .day, "hours": .hours,
        "minutes": .minutes, "seconds": .seconds, "nanos": .nanos, "dayOfWeek": .dayOfWeek, "dayOfYear": .dayOfYear,
        "date": .date, "time": .time, "toMillis": .toMillis, "bind": .bind,
    ]

    private static let functions: [String: Builtin] = [
        "math.abs": .mathAbs, "math.ceil": .mathCeil, "math.floor": .mathFloor, "math.round": .mathRound,
        "math.pow": .mathPow, "math.sqrt": .mathSqrt, "math.isNaN": .mathIsNaN, "math.isInfinite": .mathIsInfinite,
        "hashing.md5": .hashingMD5, "hashing.sha256": .hashingSHA256, "hashing.crc32": .hashingCRC32,
        "hashing.crc32c": .hashingCRC32C, "timestamp.date": .timestampDate, "timestamp.value": .timestampValue,
        "duration.value": .durationValue, "duration.time": .durationTime, "duration.abs": .durationAbs,
        "int": .toInteger, "float": .toFloat, "string": .toString, "bool": .toBool, "path": .toPath,
        "debug": .debug, "recentSignIn": .recentSignIn, "secondFactor": .secondFactor,
    ]

    private static let names = Dictionary(
        uniqueKeysWithValues: methods.map { ($0.value, $0.key) } + functions.map { ($0.value, $0.key) })
}

extension Builtin {
    /// Whether the first argument is a regular expression.
    var takesPattern: Bool { self == .matches || self == .replace || self == .split }

    /// The names of functions without a namespace.
    static let plainFunctions = functionNames.filter { !$0.utf8.contains(UInt8(ascii: ".")) }.sorted()

    private static let functionNames = allCases.filter { $0.overloads.contains { $0.receiver == nil } }.map(\.name)

    /// Returns the functions of a namespace, without its name.
    static func functions(of namespace: String) -> [String] {
        functionNames.filter { $0.hasPrefix(namespace + ".") }.map { String($0.dropFirst(namespace.count + 1)) }
            .sorted()
    }

    /// Returns the methods that a value of these kinds may have.
    static func methods(of kinds: KindSet) -> [String] {
        allCases.filter { $0.overloads.contains { kinds.fits($0.receiver ?? []) } }.map(\.name).sorted()
    }
}
