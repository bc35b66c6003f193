package import GatewayCore
package import NIOCore

/// A receiver of a request's body that writes the response. All calls happen on the worker's event loop.
package protocol Responder: AnyObject {
    /// Whether it accepts more of the body now. It calls `ClientHandler.continueBody` when it accepts more again.
    var acceptsBody: Bool { get }
    /// Receives a part of the body, without any framing.
    func bodyPart(_ part: ByteBuffer)
    /// Handles the end of the body. `trailers` are the field lines of a chunked body's trailer section, usually empty.
    func bodyEnded(trailers: ByteBuffer)
    /// Flushes the body after all parts that arrived together were passed on.
    func bodyFlush()
    /// Handles a change in the writability of the client's connection.
    func clientWritabilityChanged(isWritable: Bool)
    /// Handles the loss of the client, or an abandoned request. No response is due.
    func clientGone()
    /// Whether the end of the response is delimited by a known length.
    var responseHasLength: Bool { get }
    /// Checks timeouts. Called several times per second with the monotonic time in nanoseconds.
    func tick(now: UInt64)
}

/// The handler of one connection's requests, in order. It assigns each a responder or a response, immediately or later.
package protocol RequestHandler: AnyObject {
    /// Begins a request. `finished` follows, once.
    func began(_ client: ClientHandler)
    /// The field policy of responses to requests without a known route. `nil` if there is no policy.
    var additions: ResponseFieldPolicy? { get }
    /// Returns the status of a denial with this code.
    func status(of code: DecisionCode) -> UInt16
    /// Whether the denial of a malformed head of a gRPC call has the form of gRPC.
    var deniesMalformedCallsInGRPC: Bool { get }
    func handle(_ request: RequestView, from client: ClientHandler)
    /// Returns the watch of a response that continues as a stream. `nil` if it is treated like any other response.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream?
    /// Returns the watch on the permission of a long exchange that is not a stream. `nil` if no revocation can end it.
    func watchExchange(of client: ClientHandler) -> OpenStream?
    /// Returns the code if a stream of the current request must end. `nil` if it may continue.
    func refusal(of stream: OpenStream) -> DecisionCode?
    /// Handles the loss of the client of a request without a responder.
    func abandoned(_ client: ClientHandler)
    /// The maximum time without bytes of a gRPC call before its response. `nil` if its body is that of any request.
    var callIdleTimeout: UInt64? { get }
    /// Continues work of the current request that was deferred to a turn of the connection.
    func turnBegan(_ client: ClientHandler)
    /// Ends a request, whose record is complete.
    func finished(_ client: ClientHandler)
}

extension RequestHandler {
    package func status(of code: DecisionCode) -> UInt16 { code.status }
    package var deniesMalformedCallsInGRPC: Bool { true }
    package var callIdleTimeout: UInt64? { nil }
    package func turnBegan(_ client: ClientHandler) {}
}

/// A factory of request handlers, one for each connection.
package protocol RequestHandlerSource: AnyObject {
    func makeHandler() -> any RequestHandler
}
