extension Builtin {
    /// The namespaces, which are no values.
    static let namespaces = ["math", "hashing", "timestamp", "duration"]

    /// The method of that name; nil where no kind has one.
    static func method(_ name: String) -> Builtin? { methods[name] }

    /// The function of a namespace.
    static func function(_ name: String, in namespace: String) -> Builtin? { functions["\(namespace).\(name)"] }

    /// The function of that name.
    static func function(_ name: String) -> Builtin? { functions[name] }

    /// As it is written: `size`, `math.abs`.
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
