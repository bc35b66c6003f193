import NIOCore

/// The address of a client, as the socket tells, spelled once for each connection.
final class PeerAddress: Sendable {
    /// The IP address without a port; `unknown` where the socket has none.
    let text: String
    /// Who the client is where clients share something scarce.
    let network: PeerNetwork
    /// The field lines that tell the upstream about the client's side of this connection, each with its CRLF.
    let forwardedLines: [UInt8]
    /// The `for=` and `proto=` parts of `Forwarded` (RFC 7239); the host is added for each request.
    let forwardedParameters: [UInt8]

    init(_ address: SocketAddress?) {
        let ip = address?.ipAddress ?? "unknown"
        text = ip
        network = PeerNetwork(address)
        let isVersion6 = ip.utf8.contains(UInt8(ascii: ":"))
        // An IPv6 address is quoted and bracketed there (RFC 7239 section 6).
        let node = isVersion6 ? "\"[\(ip)]\"" : ip
        forwardedLines = Array("X-Forwarded-For: \(ip)\r\nX-Forwarded-Proto: http\r\n".utf8)
        forwardedParameters = Array("for=\(node);proto=http;host=".utf8)
    }
}
