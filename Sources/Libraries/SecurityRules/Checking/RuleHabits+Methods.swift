extension RuleHabits {
    /// A call of a method, as messages need it.
    struct Call {
        /// The text of what it is called on.
        var receiver: String
        var kinds: KindSet
        /// The text of the first argument; `x` where there is none.
        var argument: String
    }

    /// A method that values have elsewhere.
    static func method(_ name: String, _ call: Call) -> RuleHabit? {
        guard let remedy = realtimeDatabase(name, call) ?? elsewhere(name, call) else { return nil }
        return RuleHabit("there is no method '\(name)'", remedy)
    }

    /// Realtime Database rules.
    private static func realtimeDatabase(_ name: String, _ call: Call) -> String? {
        let (receiver, argument) = (call.receiver, call.argument)
        switch name {
        case "contains", "includes", "has": return contains(call)
        case "beginsWith", "startsWith": return "write \(receiver).matches('\(pattern(argument)).*')"
        case "endsWith": return "write \(receiver).matches('.*\(pattern(argument))')"
        case "toLowerCase": return "write \(receiver).lower()"
        case "toUpperCase": return "write \(receiver).upper()"
        case "length": return "write \(receiver).size()"
        case "val": return "a value is itself: write \(receiver)"
        case "child": return "write \(receiver)[\(argument)]"
        case "hasChild": return "write \(argument) in \(receiver)"
        case "hasChildren":
            return argument == "x" ? "write \(receiver).size() > 0" : "write \(receiver).keys().hasAll(\(argument))"
        case "isString": return "write \(receiver) is string"
        case "isNumber": return "write \(receiver) is number"
        case "isBoolean": return "write \(receiver) is bool"
        case "exists": return "ask with in: 'key' in map"
        case "parent", "getPriority": return "there is no database here: \(name) has no equivalent"
        default: return nil
        }
    }

    private static func contains(_ call: Call) -> String {
        let inList = "\(call.argument) in \(call.receiver)"
        let inString = "\(call.receiver).matches('.*\(pattern(call.argument)).*')"
        if !call.kinds.fits(.string) { return "write \(inList)" }
        if !call.kinds.fits(.collection) { return "write \(inString)" }
        return "write \(inString), or \(inList) for a list"
    }

    /// JavaScript and CEL.
    private static func elsewhere(_ name: String, _ call: Call) -> String? {
        let (receiver, argument) = (call.receiver, call.argument)
        switch name {
        case "indexOf", "containsKey", "hasKey", "hasOwnProperty": return "write \(argument) in \(receiver)"
        case "toString": return "write string(\(receiver))"
        case "match", "test", "search", "regex":
            return "write \(receiver).matches('regular expression'), which is about the whole string"
        case "substring", "substr", "slice", "charAt": return "write \(receiver)[from:to], or \(receiver)[index]"
        case "replaceAll": return "write \(receiver).replace(...), which replaces all"
        case "strip": return "write \(receiver).trim()"
        case "push", "append", "add": return "write \(receiver) + [\(argument)]"
        case "isEmpty": return "write \(receiver).size() == 0"
        case "equals": return "write \(receiver) == \(argument)"
        case "filter", "map", "forEach", "every", "some", "all", "reduce", "exists_one":
            return "rules have no loops: use in, hasAll, hasAny or hasOnly"
        case "getTime", "getMillis", "valueOf": return "write \(receiver).toMillis()"
        case "getFullYear", "getYear": return "write \(receiver).year()"
        case "getSeconds": return "write \(receiver).seconds()"
        case "getHours": return "write \(receiver).hours()"
        default: return nil
        }
    }

    /// What is written in quotes, as a part of a regular expression; `text` for anything else.
    private static func pattern(_ argument: String) -> String {
        let bytes = Array(argument.utf8)
        guard bytes.count >= 2, let quote = bytes.first, quote == bytes.last,
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else { return "text" }
        return escaped(bytes[1..<(bytes.count - 1)])
    }

    /// With what has a meaning in regular expressions put into brackets.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if ".+*?()|{}$".utf8.contains(byte) {
                result += [UInt8(ascii: "["), byte, UInt8(ascii: "]")]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
