internal import HTTPWire

/// The properties of the field lines of every accepted head.
func checkFields(_ fields: FieldTable, in head: UnsafeRawBufferPointer) {
    for index in 0..<fields.count { checkLine(fields[index], in: head) }
    checkTiling(fields, in: head)
    checkKinds(fields, in: head)
    checkConnection(fields, in: head)
}

private func checkLine(_ field: Field, in head: UnsafeRawBufferPointer) {
    let line = head.part(field.line.range)
    require(line.count >= 3 && line.suffix(2).elementsEqual([13, 10]), "a line ends in CRLF")
    require(line.dropLast(2).allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "a line has no control byte")
    let name = head.part(field.name.range)
    require(!name.isEmpty && name.allSatisfy(isTokenByte), "a name is a token")
    require(line[name.count] == 0x3A, "the colon is directly after the name")
    let value = head.part(field.value.range)
    require(value.first.map { $0 != 0x20 && $0 != 9 } ?? true, "a value does not begin with whitespace")
    require(value.last.map { $0 != 0x20 && $0 != 9 } ?? true, "a value does not end with whitespace")
    let around = field.name.upperBound + 1..<field.line.upperBound - 2
    require(head[around].allSatisfy { $0 == 0x20 || $0 == 9 } || !value.isEmpty, "nothing of a value is lost")
    require(
        around.lowerBound <= field.value.lowerBound && field.value.upperBound <= around.upperBound
            || value.isEmpty, "a value is within its line")
}

/// Lines are adjacent, up to the empty line at the end of the head.
private func checkTiling(_ fields: FieldTable, in head: UnsafeRawBufferPointer) {
    var end = head.count - 2
    for index in (0..<fields.count).reversed() {
        require(fields[index].line.upperBound == end, "the lines are all there is")
        end = fields[index].line.lowerBound
    }
    require(end >= 2 && head[end - 2] == 13 && head[end - 1] == 10, "the first line is before the fields")
}

private func checkKinds(_ fields: FieldTable, in head: UnsafeRawBufferPointer) {
    for index in 0..<fields.count {
        let name = lowercased(head.part(fields[index].name.range))
        let isKnown = knownNames[fields[index].kind].map { $0 == name }
        require(isKnown ?? !knownNames.values.contains(name), "a field's kind is its name's")
    }
    for kind in FieldKind.allCases where kind != .other {
        let indices = (0..<fields.count).filter { fields[$0].kind == kind }
        require(fields.count(of: kind) == indices.count, "the count of a kind is right")
        require(fields.firstIndex(of: kind) == indices.first, "the first of a kind is right")
        require(fields.contains(kind) == !indices.isEmpty, "whether a kind occurs is right")
    }
}

/// A field is marked if and only if `Connection` has an option of its name.
private func checkConnection(_ fields: FieldTable, in head: UnsafeRawBufferPointer) {
    var options: Set<String> = []
    for index in 0..<fields.count where fields[index].kind == .connection {
        let value = lowercased(head.part(fields[index].value.range))
        for option in value.split(separator: ",") { options.insert(trimmed(option)) }
    }
    let apart: Set = ["keep-alive", "close", "upgrade", "te", "host", "content-length"]
    for index in 0..<fields.count {
        let name = lowercased(head.part(fields[index].name.range))
        guard !apart.contains(name) else { continue }
        require(fields[index].isNamedByConnection == options.contains(name), "Connection marks whom it names")
    }
}

private func trimmed(_ text: Substring) -> String {
    var text = text
    while text.utf8.first == 0x20 || text.utf8.first == 9 { text = text.dropFirst() }
    while text.utf8.last == 0x20 || text.utf8.last == 9 { text = text.dropLast() }
    return String(text)
}

/// Returns the bytes in lower case, each as the scalar of its number.
func lowercased(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(0x41...0x5A ~= byte ? byte | 0x20 : byte)) }
    return String(text)
}

func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// The names of the kinds in lower case.
private let knownNames: [FieldKind: String] = [
    .host: "host", .connection: "connection", .contentLength: "content-length",
    .transferEncoding: "transfer-encoding", .authorization: "authorization", .cookie: "cookie", .expect: "expect",
    .upgrade: "upgrade", .te: "te", .trailer: "trailer", .keepAlive: "keep-alive",
    .proxyConnection: "proxy-connection", .proxyAuthorization: "proxy-authorization",
    .proxyAuthenticate: "proxy-authenticate", .proxyAuthenticationInfo: "proxy-authentication-info",
    .http2Settings: "http2-settings", .date: "date", .server: "server", .via: "via", .origin: "origin",
    .accept: "accept", .location: "location", .contentType: "content-type", .setCookie: "set-cookie",
    .userAgent: "user-agent", .retryAfter: "retry-after", .wwwAuthenticate: "www-authenticate",
    .secFetchSite: "sec-fetch-site", .secWebSocketKey: "sec-websocket-key", .forwarded: "forwarded",
    .forwardedFor: "x-forwarded-for", .forwardedProto: "x-forwarded-proto", .forwardedHost: "x-forwarded-host",
    .requestID: "x-request-id", .traceparent: "traceparent", .tracestate: "tracestate", .grpcTimeout: "grpc-timeout",
]
