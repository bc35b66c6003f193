internal import HTTP2Mapping
internal import HTTPWire
internal import NIOCore
internal import NIOHPACK
internal import WireFuzzTargets

/// The fields of HTTP/2 requests: the mapping to a head of HTTP/1.1, and trailers.
///
/// The lowest bit of the first byte is END_STREAM. Then names and values follow in turn, each ended by 0xFF. Bytes that
/// are not UTF-8 are replaced, as NIO does.
public func fuzzHTTP2Fields(_ input: UnsafeRawBufferPointer) {
    let endsStream = (input.first ?? 1) & 1 == 1
    let texts = input.dropFirst().split(separator: 0xFF, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let fields = stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
    let headers = HPACKHeaders(fields)
    if let head = try? RequestMapping.head(
        of: headers, endsStream: endsStream, limits: limits, webSocketKey: { webSocketKey })
    {
        MappedHead(head: head, fields: fields, endsStream: endsStream).check()
        checkEncodedSize(headers)
    }
    checkTrailers(headers, fields)
}

private let limits = RequestMapping.Limits(fields: 128, size: 65_536)
private let webSocketKey = "dGhlIHNhbXBsZSBub25jZQ=="
private let connectionFields: Set = ["connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade"]

/// The bound of the encoded size decides whether NIO's encoder may be called at all.
private func checkEncodedSize(_ headers: HPACKHeaders) {
    var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    var block = ByteBuffer()
    guard (try? encoder.encode(headers: headers, to: &block)) != nil else {
        return require(false, "accepted fields are encoded")
    }
    require(block.readableBytes <= FieldEncoding.maximumSize(of: headers), "an encoded head is within its bound")
}

private func checkTrailers(_ headers: HPACKHeaders, _ fields: [(String, String)]) {
    guard RequestMapping.areTrailers(headers, limits: limits) else { return }
    require(fields.count <= 64, "trailers are few")
    for (name, value) in fields {
        require(!name.isEmpty && name.utf8.allSatisfy { isToken($0) && !isCapital($0) }, "a trailer's name is a token")
        require(!connectionFields.contains(name), "no trailer concerns one connection")
        require(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "a trailer has no control byte")
    }
}

private func isToken(_ byte: UInt8) -> Bool { withUnsafeBytes(of: byte) { ASCII.isToken($0) } }
private func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

/// An accepted request: its head in HTTP/1.1, and the fields that it was mapped from.
private struct MappedHead {
    let head: RequestMapping.Head
    let fields: [(String, String)]
    let endsStream: Bool

    func check() {
        let bytes = Array(head.bytes.readableBytesView)
        bytes.withUnsafeBytes { raw in
            fuzzHeads(raw)
            var scanned = 0
            require(HeadScan.end(in: raw, scanned: &scanned) == raw.count, "a mapped head is one head")
            require(!raw.contains(0), "a mapped head has no NUL")
            require(raw.starts(with: "\(requestLine)\r\n".utf8), "the request line is of the pseudo-headers")
            let table = FieldTable(capacity: 256)
            // The mapping adds fields, which its limit does not count.
            let parsed = try? RequestParser.parse(raw, fields: table, limits: HeadLimits(fields: 256))
            // The parser also rejects expectations, and CONNECT without a port.
            require(parsed != nil || value("expect") != nil || method == "CONNECT", "a mapped head is accepted")
            if let parsed { compare(parsed, table, raw) }
        }
    }

    private func compare(_ parsed: RequestHead, _ table: FieldTable, _ raw: UnsafeRawBufferPointer) {
        require(parsed.framing == head.framing, "the framing is the mapping's")
        let expected = lines
        require(table.count == expected.count, "no field is added or lost")
        for (index, field) in expected.enumerated() {
            let name = raw.part(table[index].name.range)
            let value = raw.part(table[index].value.range)
            require(name.elementsEqual(field.0.utf8), "a name is the one that was sent")
            require(value.elementsEqual(field.1.utf8), "a value is the one that was sent")
        }
        require(!fields.contains { connectionFields.contains($0.0) }, "no field of one connection is accepted")
    }

    private func value(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    private var method: String { value(":method") ?? "" }
    private var isTunnel: Bool { value(":protocol") != nil }

    private var requestLine: String {
        let target = method == "CONNECT" && !isTunnel ? value(":authority") : value(":path")
        return "\(isTunnel ? "GET" : method) \(target ?? "") HTTP/1.1"
    }

    /// The expected field lines, written without the mapping's code.
    private var lines: [(String, String)] {
        var lines = [("host", value(":authority") ?? value("host") ?? "")]
        let hasBody = !endsStream && !isTunnel && method != "CONNECT"
        if hasBody, value("content-length") == nil { lines.append(("transfer-encoding", "chunked")) }
        if isTunnel {
            lines += [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-key", webSocketKey)]
        }
        let cookie = fields.filter { $0.0 == "cookie" && !$0.1.isEmpty }.map(\.1).joined(separator: "; ")
        var hasCookie = false
        for (name, value) in fields where !name.hasPrefix(":") {
            switch name {
            case "host", "te", "http2-settings": break
            case "sec-websocket-key" where isTunnel, "sec-websocket-accept" where isTunnel: break
            case "cookie":
                if !hasCookie { lines.append((name, cookie)) }
                hasCookie = true
            default: lines.append((name, value))
            }
        }
        return lines
    }
}
