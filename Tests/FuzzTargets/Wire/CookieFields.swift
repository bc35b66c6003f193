internal import HTTPWire

/// `Cookie` fields: a plain reader finds the same pairs, and a removal keeps the other pairs.
///
/// The input is a field's value.
public func fuzzCookies(_ input: UnsafeRawBufferPointer) {
    withExactCopy(input) { bytes in
        let value = ByteRange(start: 0, length: UInt32(bytes.count))
        let pairs = Array(CookiePairs(value, in: bytes))
        checkPlain(pairs, bytes)
        checkFind(pairs, value, bytes)
        checkKeep(pairs, value, bytes) { isSession($0, bytes) }
        checkKeep(pairs, value, bytes) { isSession($0, bytes) && isTokenLike($0.value.bytes(in: bytes)) }
        checkKeep(pairs, value, bytes) { _ in true }
        checkKeep(pairs, value, bytes) { _ in false }
        checkInHead(bytes)
    }
}

private let sessionName = Array("__session".utf8)

private func isSession(_ pair: CookiePair, _ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.part(pair.name.range).elementsEqual(sessionName)
}

private func isTokenLike(_ value: UnsafeRawBufferPointer) -> Bool {
    value.starts(with: "ey".utf8) && value.count { $0 == UInt8(ascii: ".") } == 2
}

/// The pairs, by splitting at semicolons.
private func checkPlain(_ pairs: [CookiePair], _ bytes: UnsafeRawBufferPointer) {
    let segments = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        .filter { !trimmed($0).isEmpty }
    require(pairs.count == segments.count, "each segment with something in it is a cookie")
    for (pair, segment) in zip(pairs, segments) {
        require(pair.segment.range == segment.startIndex..<segment.endIndex, "a segment is between its semicolons")
        let text = trimmed(segment)
        let equals = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
        let value = unquoted(trimmed(text[min(equals + 1, text.endIndex)...]))
        require(bytes.part(pair.name.range).elementsEqual(trimmed(text[..<equals])), "a name is before the first =")
        require(bytes.part(pair.value.range).elementsEqual(value), "a value is after it")
    }
}

private func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var text = text.drop { $0 == 0x20 || $0 == 9 }
    while text.last == 0x20 || text.last == 9 { text.removeLast() }
    return text
}

private func unquoted(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    text.count >= 2 && text.first == 0x22 && text.last == 0x22 ? text.dropFirst().dropLast() : text
}

private func checkFind(_ pairs: [CookiePair], _ value: ByteRange, _ bytes: UnsafeRawBufferPointer) {
    let found = Cookies.find(sessionName, in: value, of: bytes)
    let ours = pairs.filter { isSession($0, bytes) }
    require(found.count == ours.count && found.first == ours.first?.value, "the cookies of a name are found")
    for pair in pairs {
        require(Cookies.isNamed(pair, sessionName, in: bytes) == isSession(pair, bytes), "a name is its bytes")
    }
}

/// The kept bytes are the other pairs in their order.
private func checkKeep(
    _ pairs: [CookiePair], _ value: ByteRange, _ bytes: UnsafeRawBufferPointer, _ removes: (CookiePair) -> Bool
) {
    var kept: [UInt8] = []
    let removal = Cookies.keep(value, of: bytes, removing: removes) { kept += bytes[$0.range] }
    let others = pairs.filter { !removes($0) }
    switch removal {
    case .untouched: require(others.count == pairs.count && kept.elementsEqual(bytes), "what is untouched stays whole")
    case .removed: require(others.count < pairs.count && !others.isEmpty, "removed is told where some are")
    case .nothingLeft: require(others.isEmpty && !pairs.isEmpty && kept.isEmpty, "nothing is left where all are taken")
    }
    kept.withUnsafeBytes { raw in
        let again = Array(CookiePairs(ByteRange(start: 0, length: UInt32(raw.count)), in: raw))
        require(again.count == others.count, "what is left has as many cookies")
        for (one, other) in zip(again, others) {
            require(raw.part(one.name.range).elementsEqual(bytes.part(other.name.range)), "with the same names")
            require(raw.part(one.value.range).elementsEqual(bytes.part(other.value.range)), "and the same values")
        }
    }
}

/// In a head that is accepted, the field's value has the same cookies.
private func checkInHead(_ bytes: UnsafeRawBufferPointer) {
    let head = Array("GET / HTTP/1.1\r\nHost: a\r\nCookie: ".utf8) + bytes + Array("\r\n\r\n".utf8)
    let fields = FieldTable(capacity: 4)
    head.withUnsafeBytes { raw in
        guard (try? RequestParser.parse(raw, fields: fields)) != nil, let field = fields.first(.cookie) else {
            return require(
                bytes.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }, "a value without controls is accepted")
        }
        guard fields.count == 2 else { return require(bytes.contains(0x0A), "a value is one field") }
        let direct = Cookies.find(sessionName, in: ByteRange(start: 0, length: UInt32(bytes.count)), of: bytes)
        let found = Cookies.find(sessionName, in: field.value, of: raw)
        require(found.count == direct.count, "a head has the cookies of its field")
    }
}
