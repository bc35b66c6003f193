import GatewayCore
import JOSE

/// A denial in the form of gRPC: a status and a `google.rpc.Status` with a `google.rpc.ErrorInfo`.
///
/// The messages have a few fields of text, and are written here field by field (Protocol Buffers, "Encoding").
struct GRPCDenial {
    private let denial: Denial
    private let requestID: String

    /// Whether the call's own `grpc-timeout` has passed.
    private let isPastDeadline: Bool

    init(_ denial: Denial, requestID: String, isPastDeadline: Bool = false) {
        self.denial = denial
        self.requestID = requestID
        self.isPastDeadline = isPastDeadline
    }

    /// INVALID_ARGUMENT, DEADLINE_EXCEEDED, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, UNAVAILABLE,
    /// UNAUTHENTICATED, otherwise INTERNAL.
    var status: UInt8 {
        switch denial.code.status {
        case _ where isPastDeadline: 4
        case 400: 3
        case 401: 16
        case 403: 7
        case 404, 405, 415: 12
        case 408: 4
        case 413, 429, 431: 8
        case 502, 503, 504: 14
        default: 13
        }
    }

    /// The domain of `ErrorInfo.reason`.
    static let domain = "gatehouse"

    /// The value of `grpc-status-details-bin`: the `google.rpc.Status` in base64 without padding.
    var encoded: String {
        var any = Message()
        any.add(1, "type.googleapis.com/google.rpc.ErrorInfo")
        any.add(2, errorInfo.bytes)
        var result = Message()
        result.add(1, number: status)
        result.add(2, "\(denial.code.wire)")
        result.add(3, any.bytes)
        return Base64URL.encode(result.bytes).replacing("-", with: "+").replacing("_", with: "/")
    }

    private var errorInfo: Message {
        var info = Message()
        info.add(1, reason)
        info.add(2, Self.domain)
        var metadata = [("code", "\(denial.code.wire)"), ("request_id", requestID)]
        if let maxAge = denial.maxAge { metadata.append(("max_age", "\(maxAge)")) }
        if let retryAfter = denial.retryAfter { metadata.append(("retry_after", "\(retryAfter)")) }
        for (key, value) in metadata {
            var entry = Message()
            entry.add(1, key)
            entry.add(2, value)
            info.add(3, entry.bytes)
        }
        return info
    }

    /// The code in the form of `ErrorInfo.reason`, such as `AUTH_REQUIRES_RECENT_LOGIN`.
    private var reason: String {
        String(
            decoding: "\(denial.code.wire)".utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & 0xDF
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }

    /// A message of Protocol Buffers with fields below number 16 and texts of less than 16 KiB.
    private struct Message {
        private(set) var bytes: [UInt8] = []

        mutating func add(_ field: UInt8, number: UInt8) {
            bytes += [field << 3, number]
        }

        mutating func add(_ field: UInt8, _ text: String) {
            add(field, Array(text.utf8))
        }

        mutating func add(_ field: UInt8, _ value: [UInt8]) {
            bytes.append(field << 3 | 2)
            let count = value.count & 0x3FFF
            if count < 0x80 {
                bytes.append(UInt8(count))
            } else {
                bytes += [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
            }
            bytes += value.prefix(count)
        }
    }
}
