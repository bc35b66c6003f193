/// A well-formed response.
package struct Response: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// An action that sends the body after the head, which defines its framing. If `nil`, `body` is sent with its
    /// length.
    package var stream: ResponseStep.Action?

    package init(
        status: Int = 200, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        stream: ResponseStep.Action? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.stream = stream
    }

    package static func json(_ value: JSON, status: Int = 200) -> Response {
        Response(
            status: status, fields: [("Content-Type", "application/json")], body: value.bytes + [UInt8(ascii: "\n")])
    }

    /// Returns the steps that send the response.
    package func steps(for request: ReceivedRequest) -> [ResponseStep] {
        guard let stream else { return [.send(bytes(for: request))] }
        return [.send(head())] + (status == 101 || allowsBody(for: request.method) ? [.run(stream)] : [])
    }

    /// Returns the complete response with its length.
    package func bytes(for request: ReceivedRequest) -> [UInt8] {
        var extra: [(name: String, value: String)] = []
        if status >= 200 && status != 204 { extra.append(("Content-Length", "\(body.count)")) }
        if !request.keepAlive { extra.append(("Connection", "close")) }
        return head(adding: extra) + (allowsBody(for: request.method) ? body : [])
    }

    /// Returns the status line and the fields. The caller adds fields for the body's framing.
    package func head(adding extra: [(name: String, value: String)] = []) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for (name, value) in fields + extra { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Returns whether a response to that method may have a body (RFC 9112 section 6.3).
    package func allowsBody(for method: String) -> Bool {
        method != "HEAD" && status != 204 && status != 304 && status >= 200
    }

    private var reason: String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
