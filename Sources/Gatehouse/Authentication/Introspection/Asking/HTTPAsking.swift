/// A request to somebody whom the gateway asks about tokens or accounts.
///
/// It holds secrets and tokens: it is never logged, nor kept once it was answered.
struct HTTPQuestion: Sendable {
    enum Method: Sendable {
        case get, post
    }

    var method: Method
    var url: String
    var fields: [(name: String, value: String)]
    var body: [UInt8] = []
}

/// A whole answer, whatever its status.
struct HTTPReply: Sendable {
    var status: Int
    /// The `Retry-After` field as it was sent.
    var retryAfter: String?
    var body: [UInt8]
}

/// Sends questions.
protocol HTTPAsking: Sendable {
    /// Asks once, within the time, and tells `answer` once, from any thread, later or within the call.
    ///
    /// No redirect is followed, and the answer is bounded in bytes.
    func ask(
        _ question: HTTPQuestion, within timeout: Duration,
        answer: @escaping @Sendable (Result<HTTPReply, AskingFailure>) -> Void)

    /// Closes the connections. Questions that run fail.
    func shutdown() async
}
