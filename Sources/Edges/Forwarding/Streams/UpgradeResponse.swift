import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline

/// An upstream's 101 response: its validation, and its rendering for the client.
struct UpgradeResponse {
    private let head: ResponseHead
    private let bytes: UnsafeRawBufferPointer
    private let fields: FieldTable
    private let request: UpgradeRequest

    /// Creates the response. `nil` if it does not match the request: a different or missing protocol, an incorrect
    /// `Sec-WebSocket-Accept`, or a sub-protocol that was not offered (RFC 6455 section 4.1).
    init?(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, fields: FieldTable, to request: UpgradeRequest) {
        self.head = head
        self.bytes = bytes
        self.fields = fields
        self.request = request
        guard head.minorVersion == 1, head.hasUpgrade, namesProtocol, !request.isWebSocket || isHandshake else {
            return nil
        }
    }

    private var namesProtocol: Bool {
        guard fields.count(of: .upgrade) == 1, let field = fields.first(.upgrade) else { return false }
        return ASCII.equals(field.value.bytes(in: bytes), request.name)
    }

    private var isHandshake: Bool {
        guard let accept = request.accept, let received = only("sec-websocket-accept"), received.elementsEqual(accept)
        else { return false }
        switch count(WebSocketProtocols.fieldName) {
        case 0: return true
        case 1: return only(WebSocketProtocols.fieldName).map { request.protocols.contains(Array($0)) } ?? false
        default: return false
        }
    }

    private func count(_ name: StaticString) -> Int {
        (0..<fields.count).reduce(0) { $0 + (ASCII.equals(fields[$1].name.bytes(in: bytes), name) ? 1 : 0) }
    }

    /// Returns the value of the only field with that name, if it is passed on.
    private func only(_ name: StaticString) -> UnsafeRawBufferPointer? {
        guard count(name) == 1 else { return nil }
        for index in 0..<fields.count where ASCII.equals(fields[index].name.bytes(in: bytes), name) {
            return fields[index].isNamedByConnection ? nil : fields[index].value.bytes(in: bytes)
        }
        return nil
    }

    /// Renders the client's 101 into `output`, replacing its content. `record` has the request ID and the route's field
    /// policy for responses.
    func render(for record: RequestRecord, into output: inout ByteBuffer) -> Bool {
        let (additions, origin) = (record.additions, record.corsOrigin)
        // A client that offered sub-protocols must receive one of them.
        let selectsBearer = request.selectsBearer && count(WebSocketProtocols.fieldName) == 0
        let bound = bytes.count + request.lines.count + (additions?.count(to: origin) ?? 0) + 176
        return output.render(from: bytes, atMost: bound) { writer in
            writer.append("HTTP/1.1 101 Switching Protocols\r\n")
            for index in 0..<fields.count {
                let field = fields[index]
                if field.isHopByHop || field.kind == .contentLength || field.kind == .requestID { continue }
                if let removed = additions?.removed, removed.matches(field.name.bytes(in: bytes)) { continue }
                writer.keep(field.line)
            }
            writer.append(requestID: record.id)
            if let additions { additions.write(to: origin, &writer) }
            writer.append(request.lines)
            if selectsBearer { writer.append("Sec-WebSocket-Protocol: bearer\r\n") }
            writer.append("\r\n")
        }
    }
}
