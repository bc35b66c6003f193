extension Checker {
    /// A call of what the language has: whether anything about it fits.
    mutating func apply(
        _ builtin: Builtin, _ receiver: (expression: Expression, value: Inferred)?, _ name: Name,
        _ arguments: [Expression], _ values: [Inferred]
    ) -> Inferred {
        var overloads = builtin.overloads
        if let receiver {
            overloads = overloads.filter { receiver.value.kinds.fits($0.receiver ?? []) }
            guard !overloads.isEmpty else {
                tellWrongReceiver(builtin, receiver, name)
                return .failed
            }
        }
        let result = overloads.reduce(into: KindSet()) { $0.formUnion($1.result) }
        let counted = overloads.filter { ($0.required...$0.parameters.count).contains(values.count) }
        guard !counted.isEmpty else {
            tellWrongCount(builtin, overloads, name, values.count)
            return Inferred(kinds: result)
        }
        if !counted.contains(where: { Self.takes($0, values) }), let first = counted.first {
            tellWrongArgument(builtin, first, arguments, values)
            return Inferred(kinds: result)
        }
        checkConstants(of: builtin, receiver?.value, name, arguments, values)
        return Inferred(kinds: result)
    }

    private static func takes(_ overload: Overload, _ values: [Inferred]) -> Bool {
        zip(values, overload.parameters).allSatisfy { $0.kinds.fits($1) }
    }

    private mutating func tellWrongReceiver(
        _ builtin: Builtin, _ receiver: (expression: Expression, value: Inferred), _ name: Name
    ) {
        let owners = builtin.overloads.reduce(into: KindSet()) { $0.formUnion($1.receiver ?? []) }
        let (text, kinds) = (quote(receiver.expression), receiver.value.kinds)
        let remedy: String
        if owners.fits(.string), kinds.fits([.path, .number, .bool]) {
            remedy = "write string(\(text)).\(name.shown)(...)"
        } else if owners.fits(.set), kinds.fits(.list) {
            remedy = "write \(text).toSet().\(name.shown)(...)"
        } else if owners.fits(.timestamp), kinds.fits(.number) {
            remedy = "write timestamp.value(\(text)).\(name.shown)(), of milliseconds"
        } else if owners.fits(.list), kinds.fits(.map) {
            remedy = "write \(text).keys().\(name.shown)(...)"
        } else {
            remedy = "it is a method of \(owners.names.joined(separator: ", "))"
        }
        findings.fail(name.range, "\(text) is \(kinds.described), which has no \(name.shown)", remedy)
    }

    private mutating func tellWrongCount(_ builtin: Builtin, _ overloads: [Overload], _ name: Name, _ count: Int) {
        let counts = Set(overloads.flatMap { $0.required...$0.parameters.count }).sorted()
        let takes =
            counts.count == 1
            ? Self.arguments(counts[0]) : counts.map(String.init).joined(separator: " or ") + " arguments"
        findings.fail(
            name.range, "\(builtin.name) takes \(takes), and gets \(count)", "write \(Self.usage(of: builtin))")
    }

    private mutating func tellWrongArgument(
        _ builtin: Builtin, _ overload: Overload, _ arguments: [Expression], _ values: [Inferred]
    ) {
        for (index, value) in values.enumerated() where !value.kinds.fits(overload.parameters[index]) {
            let parameter = overload.parameters[index]
            findings.fail(
                arguments[index].range,
                "\(builtin.name) takes \(parameter.described) here, and this is \(value.kinds.described)",
                remedy(for: builtin, parameter, arguments[index], value))
        }
    }

    private func remedy(for builtin: Builtin, _ parameter: KindSet, _ argument: Expression, _ value: Inferred) -> String
    {
        let text = quote(argument)
        if parameter.isKnown(as: .duration), value.kinds.isKnown(as: .number) {
            return "write duration.value(\(text), 's')"
        }
        if parameter.isKnown(as: .duration), value.kinds.isKnown(as: .string) { return "write duration.value(5, 'm')" }
        if parameter.isKnown(as: [.list, .set]), value.kinds.isKnown(as: .map) { return "write \(text).keys()" }
        if parameter.isKnown(as: .list), value.kinds.isKnown(as: [.string, .number]) { return "write [\(text)]" }
        if parameter.readable == .string, value.kinds.isKnown(as: [.integer, .float, .bool, .path]) {
            return "write string(\(text))"
        }
        if parameter.isKnown(as: .integer), value.kinds.isKnown(as: [.string, .float]) { return "write int(\(text))" }
        if parameter.isKnown(as: .set), value.kinds.isKnown(as: .list) { return "write \(text).toSet()" }
        if parameter.isKnown(as: .list), value.kinds.isKnown(as: .set) { return "write a list: [...]" }
        return "write \(Self.usage(of: builtin))"
    }

    /// How something is called, in a few words.
    static func usage(of builtin: Builtin) -> String {
        switch builtin {
        case .get: "m.get('key', default)"
        case .replace: "s.replace('regular expression', 'text')"
        case .matches: "s.matches('regular expression')"
        case .durationValue: "duration.value(5, 'm')"
        case .durationTime: "duration.time(hours, minutes, seconds, nanoseconds)"
        case .timestampDate: "timestamp.date(2027, 1, 31)"
        case .recentSignIn: "recentSignIn(duration.value(5, 'm'))"
        default: usage(of: builtin.name, builtin.overloads.first)
        }
    }

    private static func usage(of name: String, _ overload: Overload?) -> String {
        let parameters = (overload?.parameters ?? []).map(\.text).joined(separator: ", ")
        return (overload?.receiver == nil ? "" : "x.") + "\(name)(\(parameters))"
    }
}
