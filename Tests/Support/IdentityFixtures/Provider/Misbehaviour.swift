/// What a provider does instead of sending its own response.
package enum Misbehaviour: Sendable {
    /// Responds with that status, that body, and further fields such as `Retry-After`.
    case status(Int, body: String = "", fields: [String: String] = [:])
    /// Responds with that body as `application/json`.
    case body(String)
    /// Responds with a page of HTML.
    case html
    /// Sends only the first half of the JSON text, with a Content-Length to match.
    case truncatedJSON
    /// Sends a key set of no keys, in the form of the endpoint.
    case noKeys
    /// Sends a body of so many bytes that begins like a key set.
    case oversized(bytes: Int = 10_485_760)
    /// Sends a chunked body without an end, as fast as it is read.
    case endless
    /// Sends a gzip-coded body of so many bytes, which inflates to 158 times as many spaces.
    case gzipBomb(bytes: Int = 1_000_000)
    /// Redirects to that URL.
    case redirect(to: String, status: Int = 302)
    /// Sends the provider's response one byte at a time.
    case drip(interval: Duration)
    /// Never responds.
    case hang
    /// Sends the provider's response once the gate opens.
    case held(Gate)
    /// Sends a Content-Length that is wrong by so many bytes, and closes.
    case wrongContentLength(by: Int)
    /// Closes the connection without a response.
    case drop
    /// Resets the connection without a response.
    case reset
    /// Sends the provider's response with this Cache-Control field, or without any.
    case cacheControl(String?)
    /// Sends these bytes as they are and closes.
    case raw(String)
}
