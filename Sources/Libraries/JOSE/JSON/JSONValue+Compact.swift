extension JSONValue {
    /// Appends the value's JSON text to `output`, without whitespace outside strings. Strings and numbers are spelled as
    /// they were written.
    public func appendCompact(to output: inout [UInt8]) {
        let node = node
        let quote = node.kind == .string ? 1 : 0
        storage.bytes.withUnsafeBufferPointer { bytes in
            let text = bytes[(Int(node.start) - quote)..<(Int(node.end) + quote)]
            if storage.hasWhitespace {
                appendWithoutWhitespace(UnsafeBufferPointer(rebasing: text), to: &output)
            } else {
                output.append(contentsOf: text)
            }
        }
    }

    /// The value's JSON text without whitespace outside strings.
    public var compact: [UInt8] {
        var output: [UInt8] = []
        appendCompact(to: &output)
        return output
    }
}

private func appendWithoutWhitespace(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + text.count)
    var isInString = false
    var isEscaped = false
    for byte in text {
        if isInString {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        } else if isWhitespace(byte) {
            continue
        } else if byte == UInt8(ascii: "\"") {
            isInString = true
        }
        output.append(byte)
    }
}
