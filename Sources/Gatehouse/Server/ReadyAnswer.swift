import NIOCore

/// A small document of the gateway's own that is the same for everybody: the answer is 200.
struct ReadyAnswer: Sendable {
    private let head: [UInt8]
    private let body: [UInt8]

    /// - Parameter maximumAge: for how long others may keep it, in seconds.
    init(contentType: String, maximumAge: Int, body: [UInt8]) {
        head = Array(
            """
            HTTP/1.1 200 OK\r\nContent-Type: \(contentType)\r\nCache-Control: public, max-age=\(maximumAge)\r\n\
            Content-Length: \(body.count)\r\n
            """.utf8)
        self.body = body
    }

    /// Renders the whole answer, in place of what `output` held.
    func write(into output: inout ByteBuffer, for record: RequestRecord, date: [UInt8], closes: Bool) {
        output.reuse(for: head.count + body.count + 128)
        output.writeBytes(head)
        output.writeBytes(date)
        output.writeConnection(of: record, closes: closes)
        output.writeStaticString("\r\n")
        if !record.isHead { output.writeBytes(body) }
    }
}

extension ByteBuffer {
    /// What the client has to be told of how its connection goes on.
    mutating func writeConnection(of record: RequestRecord, closes: Bool) {
        if closes {
            writeStaticString("Connection: close\r\n")
        } else if record.minorVersion == 0 {
            writeStaticString("Connection: keep-alive\r\n")
        }
    }
}
