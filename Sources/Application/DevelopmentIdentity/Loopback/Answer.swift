/// A well-formed response.
struct Answer: Sendable {
    var status = 200
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    static func json(_ value: JSON, status: Int = 200) -> Answer {
        Answer(status: status, fields: [("Content-Type", "application/json")], body: value.bytes + [UInt8(ascii: "\n")])
    }

    /// The status line and fields, without any that tells the body's length.
    func head(adding extra: [(name: String, value: String)] = []) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\n"
        for (name, value) in fields + extra { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Whether a response to that method may have a body (RFC 9112 section 6.3).
    func allowsBody(for method: String) -> Bool {
        method != "HEAD" && status != 204 && status != 304 && status >= 200
    }

    /// The whole response, as long as it says it is.
    func bytes(for request: ReceivedRequest) -> [UInt8] {
        var extra: [(name: String, value: String)] = []
        if status >= 200 && status != 204 { extra.append(("Content-Length", "\(body.count)")) }
        if !request.keepAlive { extra.append(("Connection", "close")) }
        return head(adding: extra) + (allowsBody(for: request.method) ? body : [])
    }
}

/// Reason phrases of the codes that the servers use.
enum ReasonPhrase {
    static func of(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 103: "Early Hints"
        case 200: "OK"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 304: "Not Modified"
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
