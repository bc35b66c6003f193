internal import HTTPWire

/// The properties of every accepted request head.
struct RequestProperties {
    let head: RequestHead
    let fields: FieldTable
    let bytes: UnsafeRawBufferPointer

    func check() {
        checkTarget()
        checkHost()
        checkFraming()
        checkPrefixes()
        checkRewritten()
    }

    private func checkTarget() {
        let target = bytes.part(head.target.range)
        require(!target.isEmpty && target.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }, "a target is visible")
        require(
            head.path.lowerBound >= head.target.lowerBound && head.path.upperBound <= head.target.upperBound,
            "a path is within the target")
        require(!bytes.part(head.path.range).contains(0x3F), "a path has no query")
        guard let query = head.query else { return require(!target.contains(0x3F) || isAuthority, "? begins a query") }
        require(query.upperBound == head.target.upperBound, "a query ends the target")
        require(bytes[query.lowerBound - 1] == 0x3F, "a query begins after ?")
        guard head.targetForm == .origin else { return }
        require(head.path.upperBound == query.lowerBound - 1, "path, ? and query are the target")
    }

    private var isAuthority: Bool { head.targetForm == .authority }

    private func checkHost() {
        require(fields.count(of: .host) == 1 || head.minorVersion == 0, "HTTP/1.1 has one Host")
        require(fields.count(of: .host) <= 1, "there is one Host at most")
        require(head.host.isEmpty == head.hostName.name.isEmpty, "a host has a name")
        require(!head.host.isEmpty || head.minorVersion == 0, "HTTP/1.1 has a host")
        for byte in bytes.part(head.hostName.name.range) {
            require(isTokenByte(byte) || byte == 0x5B || byte == 0x5D || byte == 0x3A, "a host is plain")
            require(!"!#$%&'*+^`|".utf8.contains(byte), "a host has no byte with a second meaning")
        }
    }

    private func checkFraming() {
        checkDeclared(head.framing, fields, bytes)
        require(head.framing != .untilClose, "a request does not end with its connection")
        require((head.framing == .chunked) == fields.contains(.transferEncoding), "Transfer-Encoding means chunks")
        require(!(head.framing == .chunked) || head.minorVersion == 1, "HTTP/1.0 has no chunks")
        require(
            !fields.contains(.contentLength) || head.framing != .none && head.framing != .chunked,
            "Content-Length means a length")
        require(!head.expectsContinue || head.framing.hasBody, "without a body nothing is awaited")
    }

    /// A truncated head is not a head.
    private func checkPrefixes() {
        var seed = InputSeed(bytes)
        let scratch = FieldTable(capacity: 128)
        for cut in [1, 2, 3, Int.random(in: 1...bytes.count, using: &seed)] where cut <= bytes.count {
            let part = bytes.part(0..<bytes.count - cut)
            let isHead = withExactCopy(part) { (try? RequestParser.parse($0, fields: scratch)) != nil }
            require(!isHead, "a head that is cut off is refused")
        }
    }

    /// The head that a gateway writes has the same meaning.
    private func checkRewritten() {
        let copy = HeadCopy(fields: fields, bytes: bytes)
        let written = copy.written { writer in
            writer.keep(head.methodRange)
            writer.append(" ")
            writer.keep(head.target)
            writer.append(head.minorVersion == 1 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n")
        }
        written.withUnsafeBytes { raw in
            let table = FieldTable(capacity: 128)
            guard let again = try? RequestParser.parse(raw, fields: table) else {
                return require(false, "a head that is written anew is accepted")
            }
            require(again.method == head.method && again.framing == head.framing, "written anew it is the same request")
            require(again.keepAlive == head.keepAlive && again.hasUpgrade == head.hasUpgrade, "and says the same")
            require(raw.part(again.path.range).elementsEqual(bytes.part(head.path.range)), "and has the same path")
            require(raw.part(again.host.range).elementsEqual(bytes.part(head.host.range)), "and has the same host")
            copy.check(table, in: raw)
        }
    }
}

/// A length is that of the only `Content-Length`; no head frames a body in two ways.
func checkDeclared(_ framing: BodyFraming, _ fields: FieldTable, _ bytes: UnsafeRawBufferPointer) {
    require(!(fields.contains(.contentLength) && fields.contains(.transferEncoding)), "a body is framed in one way")
    guard case .length(let length) = framing else { return }
    require(fields.count(of: .contentLength) == 1, "a length is told once")
    guard let field = fields.first(.contentLength) else { return }
    let digits = bytes.part(field.value.range)
    require(digits.allSatisfy { 0x30...0x39 ~= $0 }, "a length is digits")
    require(UInt64(String(decoding: digits, as: UTF8.self)) == length, "a length is the number told")
    require(length <= UInt64(Int64.max), "a length is no more than a signed number holds")
}
