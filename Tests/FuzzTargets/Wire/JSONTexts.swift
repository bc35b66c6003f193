internal import JOSE

/// JSON texts: an accepted text is strict and keeps its value in compact form and when it is written again.
public func fuzzJSON(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    checkLimits(bytes)
    guard let document = try? JSONDocument(bytes) else { return }
    require(String(validating: bytes, as: UTF8.self) != nil, "an accepted text is UTF-8")
    require(document.byteCount == bytes.count, "a document has its text's length")
    var tree = JSONTree()
    tree.visit(document.root, depth: 1)
    require(tree.depth <= JSONLimits.token.depth && tree.values <= JSONLimits.token.members, "limits are kept")
    checkCompact(document, spansAll: bytes)
    checkWrittenAnew(document)
    checkCut(document.root.compact, document.root.kind)
}

/// A text within small limits is within larger ones.
private func checkLimits(_ bytes: [UInt8]) {
    let small = JSONLimits(size: 512, depth: 4, members: 24)
    guard let document = try? JSONDocument(bytes, limits: small) else { return }
    require((try? JSONDocument(bytes)) != nil, "what passes small limits passes larger ones")
    var tree = JSONTree()
    tree.visit(document.root, depth: 1)
    require(bytes.count <= 512 && tree.depth <= 4 && tree.values <= 24, "small limits are kept")
}

private func checkCompact(_ document: JSONDocument, spansAll bytes: [UInt8]) {
    let compact = document.root.compact
    require(compact.count <= bytes.count, "compact text is no longer")
    guard let again = try? JSONDocument(compact) else { return require(false, "compact text is JSON") }
    require(isSame(document.root, again.root), "compact text is the same value")
    require(again.root.compact == compact, "compact text is compact")
    var appended = [UInt8](repeating: 0x20, count: 3)
    again.root.appendCompact(to: &appended)
    require(appended.dropFirst(3).elementsEqual(compact), "appending keeps what is there")
}

/// Writes the strings with `JSONWriter` and keeps everything else.
private func checkWrittenAnew(_ document: JSONDocument) {
    var text: [UInt8] = []
    write(document.root, to: &text)
    guard let again = try? JSONDocument(text, limits: JSONLimits(size: 1 << 20, depth: 64, members: 4096)) else {
        return require(false, "what is written anew is JSON")
    }
    require(isSame(document.root, again.root), "what is written anew is the same value")
}

private func write(_ value: JSONValue, to text: inout [UInt8]) {
    switch value.kind {
    case .object:
        text.append(UInt8(ascii: "{"))
        for (name, value) in value.members {
            JSONWriter.appendName(name, to: &text)
            write(value, to: &text)
        }
        text.append(UInt8(ascii: "}"))
    case .array:
        text.append(UInt8(ascii: "["))
        for (index, element) in value.elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            write(element, to: &text)
        }
        text.append(UInt8(ascii: "]"))
    case .string: JSONWriter.appendString(value.string ?? "", to: &text)
    default: value.appendCompact(to: &text)
    }
}

/// A truncated container or string, or one with bytes after it, is not JSON.
private func checkCut(_ compact: [UInt8], _ kind: JSONValue.Kind) {
    require((try? JSONDocument(compact + [0x2C])) == nil, "something after the value is refused")
    guard kind == .object || kind == .array || kind == .string else { return }
    var seed = compact.withUnsafeBytes { InputSeed($0) }
    for cut in [1, Int.random(in: 1...compact.count, using: &seed)] {
        require((try? JSONDocument(Array(compact.dropLast(cut)))) == nil, "a text that is cut off is refused")
    }
}
