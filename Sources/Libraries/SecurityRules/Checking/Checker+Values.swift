extension Checker {
    /// What a field is made of that the upstream gets.
    mutating func inferRendered(_ expression: Expression) {
        let value = infer(expression)
        if value.isNull {
            findings.fail(expression.range, "null makes no field", "write what the field is to have, or take it away")
        } else if !value.kinds.fits(Self.rendered) {
            findings.fail(
                expression.range, "a field cannot have \(value.kinds.described)",
                remedy(forUnrendered: value, quote(expression)))
        }
    }

    /// What has a form as the value of a field; null makes none.
    private static let rendered: KindSet = [
        .null, .bool, .integer, .float, .string, .timestamp, .list, .map, .set,
    ]

    private func remedy(forUnrendered value: Inferred, _ text: String) -> String {
        if value.kinds.fits(.bytes) { return "write \(text).toBase64() or \(text).toHexString()" }
        if value.kinds.fits(.path) { return "write string(\(text))" }
        if value.kinds.fits(.duration) { return "write \(text).seconds()" }
        return "write \(text).affectedKeys()"
    }
}
