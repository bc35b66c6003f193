import GatewayCore
import HTTP2Mapping
import HTTPWire
import NIOCore

/// A call of `grpc.health.v1.Health/Check` and its response.
struct GRPCHealthCheck {
    /// The results that are not the status of a service.
    static let httpFailure = -1
    private static let malformed = -2
    /// The base of the codes of gRPC: a result below it by N is `grpc-status: N`.
    private static let statusBase = -100

    /// The maximum size of a response's message, in bytes. A valid one has at most a few.
    private static let maximumSize = 1_024

    private var body: BodyDecoder
    private var message = ByteBuffer()
    private var grpcStatus: Int?

    /// Returns the request in HTTP/1.1, which the stream converts.
    static func request(_ service: String, host: String) -> ByteBuffer {
        let name = Array(service.utf8)
        // HealthCheckRequest: field 1, a string.
        let message: [UInt8] = name.isEmpty ? [] : [0x0A] + varint(name.count) + name
        var request = ByteBuffer(
            string: "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/grpc\r\n"
                + "User-Agent: gatehouse-check\r\nContent-Length: \(message.count + 5)\r\n\r\n")
        request.writeInteger(UInt8(0))
        request.writeInteger(UInt32(message.count))
        request.writeBytes(message)
        return request
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80, UInt8(truncatingIfNeeded: number >> 7)]
    }

    /// Returns the reason why a server is unhealthy. `nil` if the service is SERVING.
    static func problem(_ result: Int) -> String? {
        switch result {
        case 1: nil
        case httpFailure: "check: the response is not gRPC"
        case malformed: "check: the response is not a HealthCheckResponse"
        case 0: "check: UNKNOWN"
        case 2: "check: NOT_SERVING"
        case 3: "check: SERVICE_UNKNOWN"
        case ..<0: "check: grpc-status \(statusBase - result)"
        default: "check: status \(result)"
        }
    }

    /// Creates a reader of a response from its head.
    init(_ head: ByteBuffer) {
        let fields = FieldTable(capacity: 128)
        let text = String(buffer: head)
        let parsed = head.withUnsafeReadableBytes { bytes in
            try? ResponseParser.parse(bytes, requestMethod: .post, fields: fields)
        }
        body = BodyDecoder(parsed?.framing ?? .none)
        grpcStatus = Self.status(in: text)
    }

    /// Reads the body. Returns the result at its end.
    mutating func read(_ buffer: inout ByteBuffer) -> Int? {
        while true {
            switch body.next(from: &buffer) {
            case .needsMore: return nil
            case .malformed: return Self.malformed
            case .data(var part):
                message.writeBuffer(&part)
                if message.readableBytes > Self.maximumSize { return Self.malformed }
            case .end(let trailers):
                let status = Self.status(in: String(buffer: trailers)) ?? grpcStatus
                guard let status else { return Self.httpFailure }
                return status == 0 ? servingStatus() : Self.statusBase - status
            }
        }
    }

    /// The status of a HealthCheckResponse: field 1, an enumeration. Absent means 0.
    private func servingStatus() -> Int {
        var message = message
        guard message.readInteger(as: UInt8.self) == 0, let size = message.readInteger(as: UInt32.self),
            Int(size) == message.readableBytes
        else { return Self.malformed }
        guard let field = message.readInteger(as: UInt8.self) else { return 0 }
        guard field == 0x08, let value = message.readInteger(as: UInt8.self), value < 0x80 else {
            return Self.malformed
        }
        return Int(value)
    }

    /// Returns the value of `grpc-status` in field lines.
    private static func status(in lines: String) -> Int? {
        for line in lines.split(separator: "\r\n") where line.hasPrefix("grpc-status: ") {
            return Int(line.dropFirst("grpc-status: ".count)).flatMap { (0...16).contains($0) ? $0 : 2 }
        }
        return nil
    }
}
