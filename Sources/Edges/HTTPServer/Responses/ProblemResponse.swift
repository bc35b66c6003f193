package import GatewayCore
import JOSE
package import NIOCore

/// The response to a denied request: problem details (RFC 9457), with a challenge if applicable.
package struct ProblemResponse {
    package let denial: Denial
    /// The status, which may differ from that of the code.
    let status: UInt16
    package let record: RequestRecord
    package let closes: Bool
    /// The field policy of the response.
    var additions: ResponseFieldPolicy?

    package init(
        denial: Denial, status: UInt16? = nil, record: RequestRecord, closes: Bool,
        additions: ResponseFieldPolicy? = nil
    ) {
        self.denial = denial
        self.status = status ?? denial.code.status
        self.record = record
        self.closes = closes
        self.additions = additions
    }

    /// Renders the complete response into `output`, replacing its content.
    package func write(into output: inout ByteBuffer, date: [UInt8]) {
        output.reuse(for: 1024)
        if record.wantsGRPC { return writeGRPC(into: &output, date: date) }
        let body = body()
        output.writeStaticString("HTTP/1.1 ")
        output.writeString(String(status))
        output.writeStaticString(" ")
        output.writeStaticString(Self.reason(status))
        output.writeStaticString(
            "\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nContent-Length: ")
        output.writeString(String(body.utf8.count))
        output.writeStaticString("\r\n")
        output.writeBytes(date)
        writeChallenge(into: &output)
        if let cookie = denial.cookieLine { output.writeBytes(cookie) }
        additions?.writeOwn(to: record.corsOrigin, into: &output)
        output.writeRequestID(of: record)
        output.writeConnection(of: record, closes: closes)
        output.writeStaticString("\r\n")
        if !record.isHead { output.writeString(body) }
    }

    private func body() -> String {
        let code = denial.code
        var members = ""
        if let more = denial.members { members = "," + String(decoding: more, as: UTF8.self) }
        return """
            {"title":"\(code.title)","status":\(status),"detail":\(detail),\
            "code":"\(code.wire)","request_id":"\(record.idText)"\(members)}

            """
    }

    private var detail: String {
        var json: [UInt8] = []
        JSONWriter.appendString(denial.detail ?? "\(denial.code.detail)", to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    private func writeChallenge(into output: inout ByteBuffer) {
        switch denial.code.challenge {
        case .none: break
        case .plain: output.writeStaticString("WWW-Authenticate: Bearer\r\n")
        case .invalidToken: output.writeStaticString("WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
        case .appCheck: output.writeStaticString("WWW-Authenticate: AppCheck\r\n")
        case .invalidAppToken: output.writeStaticString("WWW-Authenticate: AppCheck error=\"invalid_token\"\r\n")
        case .insufficientScope:
            output.writeStaticString("WWW-Authenticate: Bearer error=\"insufficient_scope\"")
            writeParameter(into: &output)
            output.writeStaticString("\r\n")
        case .insufficientUserAuthentication:
            output.writeStaticString("WWW-Authenticate: Bearer error=\"insufficient_user_authentication\"")
            if let maxAge = denial.maxAge { output.writeString(", max_age=\"\(maxAge)\"") }
            writeParameter(into: &output)
            output.writeStaticString("\r\n")
        }
        if let retryAfter = denial.retryAfter { output.writeString("Retry-After: \(retryAfter)\r\n") }
        if let allow = denial.allow {
            output.writeStaticString("Allow: ")
            output.writeBytes(allow)
            output.writeStaticString("\r\n")
        }
    }

    private func writeParameter(into output: inout ByteBuffer) {
        guard let parameter = denial.challengeParameter else { return }
        output.writeStaticString(", ")
        output.writeString(parameter)
    }

    /// Writes a trailers-only gRPC response: HTTP 200 with the result in `grpc-status` (gRPC over HTTP2, "Responses").
    private func writeGRPC(into output: inout ByteBuffer, date: [UInt8]) {
        let details = GRPCDenial(denial, requestID: record.idText, isPastDeadline: record.isPastDeadline)
        output.writeStaticString(
            "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nCache-Control: no-store\r\nContent-Length: 0\r\n")
        output.writeStaticString("grpc-status: ")
        output.writeString(String(details.status))
        output.writeStaticString("\r\ngrpc-message: ")
        output.writeStaticString(denial.code.wire)
        output.writeStaticString("\r\ngrpc-status-details-bin: ")
        output.writeString(details.encoded)
        output.writeStaticString("\r\n")
        output.writeBytes(date)
        writeChallenge(into: &output)
        additions?.writeOwn(to: record.corsOrigin, into: &output)
        output.writeRequestID(of: record)
        output.writeConnection(of: record, closes: closes)
        output.writeStaticString("\r\n")
    }

    private static func reason(_ status: UInt16) -> StaticString {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Error"
        }
    }
}
