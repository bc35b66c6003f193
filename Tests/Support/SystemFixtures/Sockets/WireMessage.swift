/// A message that a test reads from a socket, without the code under test.
struct WireMessage {
    var head: String
    var body = ""

    /// The start line.
    var start: String { String(head.prefix { $0 != "\r\n" }) }
    var status: Int { Int(start.split(separator: " ").dropFirst().first ?? "") ?? 0 }

    /// The field lines without CRLF.
    var lines: [String] { head.split(separator: "\r\n").dropFirst().map(String.init) }

    /// The values of a field. The name is case-insensitive.
    func values(_ name: String) -> [String] {
        lines.filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }

    func value(_ name: String) -> String? { values(name).first }
}

extension LoopbackSocket {
    func readHead() throws -> WireMessage { WireMessage(head: try read(through: "\r\n\r\n")) }

    /// Reads a message with a Content-Length or chunked body. Chunks are joined, and trailers are discarded.
    func readMessage(hasBody: Bool = true) throws -> WireMessage {
        var message = try readHead()
        guard hasBody else { return message }
        if let length = message.value("Content-Length").flatMap({ Int($0) }) {
            message.body = try read(length)
        } else if message.value("Transfer-Encoding") == "chunked" {
            message.body = try readChunks()
        }
        return message
    }

    private func readChunks() throws -> String {
        var body = ""
        while true {
            let line = try read(through: "\r\n").dropLast()
            let size = Int(line.prefix { $0 != "\r\n" }, radix: 16) ?? 0
            guard size > 0 else {
                while try read(through: "\r\n") != "\r\n" {}
                return body
            }
            body += try read(size)
            _ = try read(2)
        }
    }
}
