internal import JOSE

/// A service that responds with the received request, except for WebSockets and event streams.
final class EchoService: LoopbackService {
    let log: RequestLog

    init(keeping capacity: Int) {
        log = RequestLog(capacity: capacity)
    }

    func respond(to request: ReceivedRequest) -> Response {
        log.record(request)
        return switch request.lastSegment {
        case "ws": WebSocketEcho.response(to: request) ?? .json(request.report)
        case "events": EventStream.response(to: request)
        default: .json(request.report)
        }
    }

    func abandon(_ request: ReceivedRequest) { log.record(request) }
}

extension ReceivedRequest {
    /// The report of the echo server. `auth` is the decoded value of the field `X-Auth`, or `null`; all other members
    /// are as received.
    package var report: JSON {
        var report: JSONObject = [
            "method": .string(method), "path": .string(target), "version": .string(version),
            "fields": Self.pairs(fields), "trailers": Self.pairs(trailers),
            "body_length": .integer(Int64(bodyLength)), "body_checksum": .string(String(bodyChecksum, radix: 16)),
        ]
        if let bodyText { report["body"] = .string(bodyText) }
        if !isComplete { report["complete"] = false }
        report["connection"] = .integer(Int64(connection))
        report["request"] = .integer(Int64(request))
        report["auth"] = auth
        return .object(report)
    }

    private static func pairs(_ fields: [Field]) -> JSON {
        .array(fields.map { [.string($0.name), .string($0.value)] })
    }

    /// The `auth` variable that the gateway sends: base64url of JSON.
    private var auth: JSON {
        guard let text = value(of: "X-Auth") else { return nil }
        return Base64URL.decode(text).flatMap { JSON(parsing: $0) } ?? ["undecodable": .string(text)]
    }
}
