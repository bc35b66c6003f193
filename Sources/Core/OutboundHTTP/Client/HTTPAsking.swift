/// A request to somebody whom the gateway asks about tokens or accounts.
///
/// It holds secrets and tokens: it is never logged, nor kept once it was answered.
package struct HTTPQuestion: Sendable {
    package enum Method: Sendable {
        case get, post
    }

    package var method: Method
    package var url: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8] = []

    package init(method: Method, url: String, fields: [(name: String, value: String)], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// A whole answer, whatever its status.
package struct HTTPReply: Sendable {
    package var status: Int
    /// The `Retry-After` field as it was sent.
    var retryAfter: String?
    package var body: [UInt8]
}

/// Sends questions.
package protocol HTTPAsking: Sendable {
    /// Asks once, within the time, and tells `answer` once, from any thread, later or within the call.
    ///
    /// No redirect is followed, and the answer is bounded in bytes.
    func ask(
        _ question: HTTPQuestion, within timeout: Duration,
        answer: @escaping @Sendable (Result<HTTPReply, AskingFailure>) -> Void)

    /// Closes the connections. Questions that run fail.
    func shutdown() async
}
