import GatewayCore
import NIOCore
import TextCoding

/// A small response of the gateway itself, rendered in advance except for the parts that depend on the request.
package struct StaticResponse: Sendable {
    let status: UInt16
    private let head: [UInt8]
    private let body: [UInt8]

    /// Creates a response 200 with a document that is the same for all clients.
    ///
    /// - Parameter maximumAge: How long caches may store it, in seconds.
    package init(contentType: String, maximumAge: Int, body: [UInt8]) {
        self.init(contentType: contentType, caching: "public, max-age=\(maximumAge)", fields: [], body: body)
    }

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: 200, 202, 204 or 400; 204 has no body.
    ///   - contentType: `nil` without a body.
    ///   - caching: The value of `Cache-Control`.
    ///   - fields: Further fields, whose values contain no client data.
    package init(
        status: UInt16 = 200, contentType: String?, caching: String = "no-store",
        fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        var text = "HTTP/1.1 \(Self.statusLine(status))\r\n"
        if let contentType { text += "Content-Type: \(contentType)\r\n" }
        text += "Cache-Control: \(caching)\r\n"
        // RFC 9110 section 8.6: no Content-Length with 204.
        if status != 204 { text += "Content-Length: \(body.count)\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        head = Array(text.utf8)
        self.body = body
    }

    private static func statusLine(_ status: UInt16) -> StaticString {
        switch status {
        case 202: "202 Accepted"
        case 204: "204 No Content"
        case 400: "400 Bad Request"
        default: "200 OK"
        }
    }

    /// Creates a redirect to `location`, an absolute URL of visible ASCII, after which the browser sends GET (RFC 9110
    /// section 15.4.4).
    package init(seeOther location: String, fields: [(name: String, value: String)]) {
        status = 303
        var text = "HTTP/1.1 303 See Other\r\nCache-Control: no-store\r\nContent-Length: 0\r\n"
        for field in [("Location", location)] + fields { text += "\(field.0): \(field.1)\r\n" }
        head = Array(text.utf8)
        body = []
    }

    /// Creates a response 304 (RFC 9110 section 15.4.5).
    ///
    /// - Parameters:
    ///   - caching: The value of `Cache-Control`.
    ///   - fields: Further fields, whose values contain no client data.
    package init(notModified caching: String, fields: [(name: String, value: String)]) {
        status = 304
        var text = "HTTP/1.1 304 Not Modified\r\nCache-Control: \(caching)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        head = Array(text.utf8)
        body = []
    }

    /// Creates a page for a browser that has an error status.
    package init(badRequest page: [UInt8], fields: [(name: String, value: String)]) {
        status = 400
        var text = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html; charset=utf-8\r\n"
        text += "Cache-Control: no-store\r\nContent-Length: \(page.count)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        head = Array(text.utf8)
        body = page
    }

    /// Creates a response 204 with complete field lines.
    package init(noContentWith lines: [UInt8]) {
        status = 204
        head = Array("HTTP/1.1 204 No Content\r\n".utf8) + lines
        body = []
    }

    /// Creates a response 200 without a body from complete field lines.
    package init(emptyWith lines: [UInt8]) {
        status = 200
        head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8) + lines
        body = []
    }

    /// Creates the response to a call of gRPC with one message and the status OK (gRPC over HTTP2, "Responses").
    package init(grpcMessage message: [UInt8]) {
        status = 200
        head = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n"
                .utf8)
        let length = UInt32(clamping: message.count)
        var text = Array("\(String(message.count + 5, radix: 16))\r\n".utf8)
        text.append(0)
        withUnsafeBytes(of: length.bigEndian) { text.append(contentsOf: $0) }
        body = text + message + Array("\r\n0\r\ngrpc-status: 0\r\n\r\n".utf8)
    }

    /// The size of the head before the fields that depend on the request.
    package var headSize: Int { head.count }

    /// Renders the complete response into `output`, replacing its content. `additions` is its field policy.
    func write(
        into output: inout ByteBuffer, for record: RequestRecord, date: [UInt8], closes: Bool,
        additions: ResponseFieldPolicy? = nil
    ) {
        output.reuse(for: head.count + body.count + 176)
        output.writeBytes(head)
        output.writeBytes(date)
        additions?.writeOwn(to: record.corsOrigin, into: &output)
        output.writeRequestID(of: record)
        output.writeConnection(of: record, closes: closes)
        output.writeStaticString("\r\n")
        if !record.isHead { output.writeBytes(body) }
    }
}

extension ByteBuffer {
    /// Writes the `X-Request-Id` line.
    mutating func writeRequestID(of record: RequestRecord) {
        writeStaticString("X-Request-Id: ")
        writeWithUnsafeMutableBytes(minimumWritableBytes: 32) { output in
            guard let start = output.baseAddress else { return 0 }
            HexDigits.write(record.id.0, to: start)
            HexDigits.write(record.id.1, to: start + 16)
            return 32
        }
        writeStaticString("\r\n")
    }

    /// Writes the `Connection` field if the client needs it.
    mutating func writeConnection(of record: RequestRecord, closes: Bool) {
        if closes {
            writeStaticString("Connection: close\r\n")
        } else if record.minorVersion == 0 {
            writeStaticString("Connection: keep-alive\r\n")
        }
    }
}
