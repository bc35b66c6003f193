extension Checker {
    /// `operand is type`
    mutating func inferTypeTest(_ operand: Expression, _ type: Name) -> Inferred {
        let value = infer(operand)
        guard let kinds = KindSet.type(named: type.text) else {
            findings.fail(
                type.range, "there is no type '\(type.shown)'", Self.remedy(forType: type.text, quote(operand)))
            return .bool()
        }
        if !value.kinds.fits(kinds) {
            findings.fail(
                operand.range, "this is never true: \(quote(operand)) is \(value.kinds.described)",
                "ask for what it can be, or take the test away")
        }
        return .bool()
    }

    private static func remedy(forType name: String, _ operand: String) -> String {
        switch name {
        case "null": return "compare: \(operand) == null"
        case "latlng":
            return "rules of HTTP requests have no places; the types are \(KindSet.typeNames.joined(separator: ", "))"
        case "constraint":
            return
                "there are no queries of a database here; ask for the type that a member of request.query has: string"
        case "boolean": return "write bool"
        case "integer", "long": return "write int"
        case "double", "decimal": return "write float"
        case "array": return "write list"
        case "object", "dict": return "write map"
        case "text", "str": return "write string"
        default:
            if let nearest = NearestName.of(name, among: KindSet.typeNames) { return "write \(nearest)" }
            return "the types are \(KindSet.typeNames.joined(separator: ", "))"
        }
    }
}
