/// What a provider does instead of answering properly.
public enum Misbehaviour: Sendable {
    /// Answers that status with that body, and with further fields such as `Retry-After`.
    case status(Int, body: String = "", fields: [String: String] = [:])
    /// Answers 200 with that body as `application/json`.
    case body(String)
    /// Answers 200 with a page of HTML.
    case html
    /// Answers only the first half of the JSON text, with a Content-Length to match.
    case truncatedJSON
    /// Answers with a key set of no keys, in the form of the endpoint.
    case noKeys
    /// Answers a body of so many bytes that begins like a key set.
    case oversized(bytes: Int = 10_485_760)
    /// Answers a chunked body without an end, as fast as it is read.
    case endless
    /// Answers a gzip-coded body of so many bytes, which inflates to 158 times as many spaces.
    case gzipBomb(bytes: Int = 1_000_000)
    /// Answers 302, or another status, to that URL.
    case redirect(to: String, status: Int = 302)
    /// Answers properly, one byte at a time.
    case drip(interval: Duration)
    /// Never answers.
    case hang
    /// Answers properly after a while. A test that wants to choose the moment takes `held`.
    case delayed(Duration)
    /// Answers properly once the gate opens.
    case held(Gate)
    /// Answers with a Content-Length that is wrong by so many bytes, and closes.
    case wrongContentLength(by: Int)
    /// Closes the connection without an answer.
    case drop
    /// Resets the connection without an answer.
    case reset
    /// Answers properly but for the Cache-Control field, which is this, or missing.
    case cacheControl(String?)
    /// Sends these bytes as they are and closes.
    case raw(String)
}
