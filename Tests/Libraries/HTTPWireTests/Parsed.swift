import HTTPWire

/// A parsed request with its bytes.
struct ParsedRequest {
    let bytes: [UInt8]
    let head: RequestHead
    let fields: FieldTable

    init(_ text: String, limits: HeadLimits = HeadLimits(), capacity: Int = 128) throws(HeadError) {
        try self.init(Array(text.utf8), limits: limits, capacity: capacity)
    }

    init(_ bytes: [UInt8], limits: HeadLimits = HeadLimits(), capacity: Int = 128) throws(HeadError) {
        let fields = FieldTable(capacity: capacity)
        self.bytes = bytes
        self.fields = fields
        head = try bytes.withUnsafeBytes { raw in
            Result { () throws(HeadError) in try RequestParser.parse(raw, fields: fields, limits: limits) }
        }.get()
    }

    func text(_ range: ByteRange) -> String { HTTPWireTests.text(range, bytes) }
}

/// A parsed response with its bytes.
struct ParsedResponse {
    let bytes: [UInt8]
    let head: ResponseHead
    let fields: FieldTable

    init(_ text: String, to method: Method = .get) throws(HeadError) {
        try self.init(Array(text.utf8), to: method)
    }

    init(_ bytes: [UInt8], to method: Method = .get) throws(HeadError) {
        let fields = FieldTable(capacity: 128)
        self.bytes = bytes
        self.fields = fields
        head = try bytes.withUnsafeBytes { raw in
            Result { () throws(HeadError) in try ResponseParser.parse(raw, requestMethod: method, fields: fields) }
        }.get()
    }

    func text(_ range: ByteRange) -> String { HTTPWireTests.text(range, bytes) }
}

func text(_ range: ByteRange, _ bytes: [UInt8]) -> String {
    String(decoding: bytes[range.range], as: UTF8.self)
}

/// A GET request of HTTP/1.1 with a `Host` field and these field lines, each without its CRLF.
func get(_ lines: String...) -> String {
    "GET / HTTP/1.1\r\nHost: a.example\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// An HTTP/1.1 response with this status and these field lines, each without its CRLF.
func response(_ status: Int, _ lines: String...) -> String {
    "HTTP/1.1 \(status) Reason\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// Returns the error of the request parser. `nil` if it accepts the head.
func refusal(_ text: String, limits: HeadLimits = HeadLimits()) -> HeadError? {
    refusal(Array(text.utf8), limits: limits)
}

func refusal(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) -> HeadError? {
    failure { () throws(HeadError) in try ParsedRequest(bytes, limits: limits) }
}

/// Returns the error of the response parser. `nil` if it accepts the head.
func responseRefusal(_ text: String, to method: Method = .get) -> HeadError? {
    failure { () throws(HeadError) in try ParsedResponse(text, to: method) }
}

/// Whether a head is malformed for any reason.
func isMalformed(_ error: HeadError?) -> Bool {
    if case .malformed = error { true } else { false }
}

/// Returns the error of `body`. `nil` without an error.
func failure<Value, Failure: Error>(of body: () throws(Failure) -> Value) -> Failure? {
    if case .failure(let error) = Result(catching: body) { error } else { nil }
}

/// Valid heads for tests of every head.
let validRequests: [String] = [
    get(),
    "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.0\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
    "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n",
    "GET http://a.example/x?y=z HTTP/1.1\r\nHost: A.Example\r\n\r\n",
    "POST /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX-Empty:\r\nCookie: a=1; b=2\r\n\r\n",
    "PUT /x HTTP/1.1\r\nhost:a\r\ntransfer-encoding: chunked\r\nConnection: close, X-Mine\r\nX-Mine: \t v \t\r\n\r\n",
]
