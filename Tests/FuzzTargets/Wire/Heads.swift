internal import HTTPWire

/// Heads of requests and responses: the scan for their end, both parsers, and the properties of accepted heads.
public func fuzzHeads(_ input: UnsafeRawBufferPointer) {
    let end = scanned(input)
    require(scannedInDrips(input) == end, "a dripped head ends where a whole one does")
    checkWhole(input, end)
    guard let end else { return }
    withExactCopy(input.part(0..<end)) { head in
        checkRequest(head)
        for method in [Method.get, .head, .connect] { checkResponse(head, to: method) }
    }
}

private func scanned(_ input: UnsafeRawBufferPointer) -> Int? {
    var scanned = 0
    return HeadScan.end(in: input, scanned: &scanned)
}

/// Returns the end if the bytes arrive in random pieces.
private func scannedInDrips(_ input: UnsafeRawBufferPointer) -> Int? {
    var seed = InputSeed(input)
    var scanned = 0
    var count = 0
    while count < input.count {
        count = min(input.count, count + Int.random(in: 1...9, using: &seed))
        if let end = HeadScan.end(in: input.part(0..<count), scanned: &scanned) { return end }
    }
    return nil
}

/// An accepted input is one head, and its end is that of the scan.
private func checkWhole(_ input: UnsafeRawBufferPointer, _ end: Int?) {
    let fields = FieldTable(capacity: 128)
    let isRequest = (try? RequestParser.parse(input, fields: fields)) != nil
    let isResponse = (try? ResponseParser.parse(input, requestMethod: .get, fields: fields)) != nil
    require(!(isRequest || isResponse) || end == input.count, "the scan ends a head where the parser does")
    require(!(isRequest && isResponse), "no head is both a request and a response")
}

private func checkRequest(_ bytes: UnsafeRawBufferPointer) {
    let fields = FieldTable(capacity: 128)
    guard let head = try? RequestParser.parse(bytes, fields: fields) else { return }
    require(head.length == bytes.count, "the length is the head's")
    checkFields(fields, in: bytes)
    RequestProperties(head: head, fields: fields, bytes: bytes).check()
}

private func checkResponse(_ bytes: UnsafeRawBufferPointer, to method: Method) {
    let fields = FieldTable(capacity: 128)
    guard let head = try? ResponseParser.parse(bytes, requestMethod: method, fields: fields) else { return }
    require(head.length == bytes.count, "the length is the head's")
    checkFields(fields, in: bytes)
    ResponseProperties(head: head, fields: fields, bytes: bytes, method: method).check()
}
