/// A construct of database rules, JavaScript or CEL, with its equivalent.
struct RuleHabit {
    var what: String
    var remedy: String

    init(_ what: String, _ remedy: String) {
        self.what = what
        self.remedy = remedy
    }
}

enum RuleHabits {
    private static let noDatabase =
        "store the required data in a custom claim (auth.token), or check it in the service"

    /// Returns the hint for a name that is a value in another language.
    static func name(_ name: String, _ mode: NameScope.Mode) -> RuleHabit? {
        switch name {
        case "resource": RuleHabit("there is no 'resource': rules of HTTP requests have no database", noDatabase)
        case "root", "data", "newData":
            RuleHabit(
                "there is no '\(name)', which belongs to Realtime Database rules: rules of HTTP requests have no database",
                noDatabase)
        case "True", "TRUE", "False", "FALSE": RuleHabit("there is no '\(name)'", "write \(name.asciiLowercased)")
        case "nil", "None", "NULL", "Null", "undefined": RuleHabit("there is no '\(name)'", "write null")
        case "user", "currentUser", "context", "identity":
            RuleHabit("there is no '\(name)'", "the signed-in user is auth: auth.uid, auth.token")
        default: mode == .condition ? nameOfCondition(name) : nameOfValue(name)
        }
    }

    private static func nameOfCondition(_ name: String) -> RuleHabit? {
        switch name {
        case "now":
            RuleHabit(
                "there is no 'now', which belongs to Realtime Database rules",
                "write request.time, a timestamp, or request.time.toMillis(), the equivalent of now")
        case "uid", "provider", "token": RuleHabit("there is no name '\(name)' here", "write auth.\(name)")
        case "email", "email_verified", "phone_number", "firebase", "sub", "claims", "role", "roles", "admin":
            RuleHabit("there is no name '\(name)' here", "a claim is a member of the token: auth.token.\(name)")
        case "method", "host", "time", "query", "headers":
            RuleHabit("there is no name '\(name)' here", "write request.\(name)")
        case "req": RuleHabit("there is no name 'req' here", "write request")
        default: nil
        }
    }

    private static func nameOfValue(_ name: String) -> RuleHabit? {
        switch name {
        case "request":
            RuleHabit(
                "there is no request here: this is evaluated once for each token, independently of requests",
                "use auth, uid, provider or token")
        case "now":
            RuleHabit(
                "there is no time here: this is evaluated once for each token, independently of requests",
                "use auth, uid, provider or token")
        case "email", "email_verified", "phone_number", "name", "firebase", "sub", "claims", "role", "roles", "admin":
            RuleHabit("there is no name '\(name)' here", "a claim is a member of the token: token.\(name)")
        default: nil
        }
    }

    /// Returns the hint for a member of `request` in another language.
    static func requestMember(_ name: String) -> RuleHabit? {
        switch name {
        case "resource", "data", "body":
            RuleHabit(
                "there is no request.\(name): rules cannot read request bodies", "check the body in the service")
        case "params":
            RuleHabit(
                "there is no request.params",
                "capture segments in the pattern, as in /users/{uid}; the query is request.query")
        case "header": RuleHabit("there is no request.header", "write request.headers['name']")
        case "url", "uri":
            RuleHabit("there is no request.\(name)", "write request.path, or request.query for the part after ?")
        case "user", "uid", "token":
            RuleHabit("there is no request.\(name)", "write request.auth\(name == "user" ? "" : "." + name)")
        case "now", "timestamp": RuleHabit("there is no request.\(name)", "write request.time")
        default: nil
        }
    }

    /// Returns the hint for a function of another language.
    static func function(_ name: String, _ argument: String) -> RuleHabit? {
        switch name {
        case "get", "exists", "getAfter", "existsAfter":
            RuleHabit("there is no \(name)(): rules of HTTP requests have no database", noDatabase)
        case "now": RuleHabit("there is no now()", "write request.time")
        case "len", "length", "count": RuleHabit("there is no \(name)()", "write \(argument).size()")
        case "has": RuleHabit("there is no has()", "use 'in': 'key' in map")
        case "type": RuleHabit("there is no type()", "use 'is': \(argument) is string")
        case "String", "str", "Str": RuleHabit("there is no \(name)()", "write string(\(argument))")
        case "Number", "parseInt", "integer", "Integer", "long", "uint":
            RuleHabit("there is no \(name)()", "write int(\(argument)) or float(\(argument))")
        case "double", "parseFloat": RuleHabit("there is no \(name)()", "write float(\(argument))")
        case "Boolean", "boolean": RuleHabit("there is no \(name)()", "write bool(\(argument))")
        case "bytes": RuleHabit("there is no bytes()", "write b'...' or \(argument).toUtf8()")
        case "timestamp":
            RuleHabit(
                "timestamp is not a function",
                "write timestamp.date(2027, 1, 31), or timestamp.value(...) with milliseconds"
            )
        case "duration": RuleHabit("duration is not a function", "write duration.value(5, 'm')")
        default: nil
        }
    }

    /// Returns the hint for a namespace of another language.
    static func namespace(_ name: String, _ function: String) -> RuleHabit? {
        switch name {
        case "firestore", "storage", "database":
            RuleHabit("there is no \(name).\(function)(): rules of HTTP requests have no database", noDatabase)
        case "latlng":
            RuleHabit(
                "there is no latlng: rules of HTTP requests have no geographic locations",
                "compare numbers of custom claims")
        case "Math": RuleHabit("there is no 'Math'", "write math.\(function)(...): abs, ceil, floor, round, pow, sqrt")
        case "Date", "Timestamp", "moment":
            RuleHabit("there is no '\(name)'", "write request.time, or timestamp.date(2027, 1, 31)")
        default: nil
        }
    }
}

extension RuleHabits {
    /// A method call in the form that messages need.
    struct Call {
        /// The text of the receiver.
        var receiver: String
        var kinds: KindSet
        /// The text of the first argument; `x` without arguments.
        var argument: String
    }

    /// Returns the hint for a method of another language.
    static func method(_ name: String, _ call: Call) -> RuleHabit? {
        guard let remedy = realtimeDatabase(name, call) ?? elsewhere(name, call) else { return nil }
        return RuleHabit("there is no method '\(name)'", remedy)
    }

    /// Returns the remedy for a method of Realtime Database rules.
    private static func realtimeDatabase(_ name: String, _ call: Call) -> String? {
        let (receiver, argument) = (call.receiver, call.argument)
        switch name {
        case "contains", "includes", "has": return contains(call)
        case "beginsWith", "startsWith": return "write \(receiver).matches('\(pattern(argument)).*')"
        case "endsWith": return "write \(receiver).matches('.*\(pattern(argument))')"
        case "toLowerCase": return "write \(receiver).lower()"
        case "toUpperCase": return "write \(receiver).upper()"
        case "length": return "write \(receiver).size()"
        case "val": return "val() is not needed: write \(receiver)"
        case "child": return "write \(receiver)[\(argument)]"
        case "hasChild": return "write \(argument) in \(receiver)"
        case "hasChildren":
            return argument == "x" ? "write \(receiver).size() > 0" : "write \(receiver).keys().hasAll(\(argument))"
        case "isString": return "write \(receiver) is string"
        case "isNumber": return "write \(receiver) is number"
        case "isBoolean": return "write \(receiver) is bool"
        case "exists": return "use 'in': 'key' in map"
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

    /// Returns the remedy for a method of JavaScript or CEL.
    private static func elsewhere(_ name: String, _ call: Call) -> String? {
        let (receiver, argument) = (call.receiver, call.argument)
        switch name {
        case "indexOf", "containsKey", "hasKey", "hasOwnProperty": return "write \(argument) in \(receiver)"
        case "toString": return "write string(\(receiver))"
        case "match", "test", "search", "regex":
            return "write \(receiver).matches('regular expression'), which matches the whole string"
        case "substring", "substr", "slice", "charAt": return "write \(receiver)[from:to], or \(receiver)[index]"
        case "replaceAll": return "write \(receiver).replace(...), which replaces all matches"
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

    /// Returns a string literal as part of a regular expression; `text` for other expressions.
    private static func pattern(_ argument: String) -> String {
        let bytes = Array(argument.utf8)
        guard bytes.count >= 2, let quote = bytes.first, quote == bytes.last,
            quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else { return "text" }
        return escaped(bytes[1..<(bytes.count - 1)])
    }

    /// Returns the text with special characters of regular expressions in brackets.
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
