internal import HTTPWire

/// The properties of every accepted response head.
struct ResponseProperties {
    let head: ResponseHead
    let fields: FieldTable
    let bytes: UnsafeRawBufferPointer
    let method: Method

    func check() {
        require((100...999).contains(head.status), "a status has three digits")
        let reason = bytes.part(head.reason.range)
        require(reason.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "a reason has no control byte")
        checkDeclared(head.framing, fields, bytes)
        checkFraming()
        checkRewritten()
    }

    private func checkFraming() {
        require(head.framing != .untilClose || !head.keepAlive, "what ends with the connection ends it")
        require(!head.isInterim || head.framing == .none, "an interim response has no body")
        let isBodiless = head.status < 200 || head.status == 204 || head.status == 304 || method == .head
        require(!isBodiless || head.framing == .none, "what has no body by its kind has none")
        require(head.framing != .chunked || head.minorVersion == 1, "HTTP/1.0 has no chunks")
        require(!head.isSwitchingProtocols || !head.keepAlive, "after a change of protocol there is no next response")
        require(method != .connect || !head.keepAlive, "after CONNECT there is no next response")
    }

    private func checkRewritten() {
        let copy = HeadCopy(fields: fields, bytes: bytes)
        let written = copy.written { writer in
            writer.append(head.minorVersion == 1 ? "HTTP/1.1 " : "HTTP/1.0 ")
            writer.append(decimal: UInt64(head.status))
            writer.append(" ")
            writer.keep(head.reason)
            writer.append("\r\n")
        }
        written.withUnsafeBytes { raw in
            let table = FieldTable(capacity: 128)
            guard let again = try? ResponseParser.parse(raw, requestMethod: method, fields: table) else {
                return require(false, "a head that is written anew is accepted")
            }
            require(
                again.status == head.status && again.framing == head.framing, "written anew it is the same response")
            require(again.keepAlive == head.keepAlive && again.hasUpgrade == head.hasUpgrade, "and says the same")
            copy.check(table, in: raw)
        }
    }
}
