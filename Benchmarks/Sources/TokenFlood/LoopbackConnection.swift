import Glibc

/// A blocking keep-alive connection to 127.0.0.1 for sequential requests with different tokens.
struct LoopbackConnection: ~Copyable {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init?(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
        guard isConnected else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a request with the token. Returns the status of the response; `nil` if the connection ended.
    mutating func query(token: String) -> Int? {
        let request = Array("GET /flood HTTP/1.1\r\nHost: flood\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
        var count = 0
        while true {
            let room = buffer.count - count
            let received = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + count, room, 0) }
            guard received > 0 else { return nil }
            count += received
            if let status = completeStatus(count) { return status }
        }
    }

    /// Returns the status of a complete response of `count` bytes; `nil` if the head or the body is incomplete.
    private func completeStatus(_ count: Int) -> Int? {
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound].lowercased()
        guard let field = head.firstRange(of: "content-length: "),
            let length = Int(head[field.upperBound...].prefix { $0.isNumber }),
            text[end.upperBound...].utf8.count >= length
        else { return nil }
        return Int(head.dropFirst(9).prefix(3))
    }
}
