package import GatewayCore
import HTTPWire
package import NIOCore

/// What takes a request's body and gives its answer. All calls come on the worker's event loop.
package protocol Responder: AnyObject {
    /// Whether it takes more of the body now; it calls `ClientHandler.continueBody` when it does again.
    var acceptsBody: Bool { get }
    /// A part of the body, without any framing.
    func bodyPart(_ part: ByteBuffer)
    /// The body is complete. `trailers` are the field lines of a chunked body's trailer section, empty mostly.
    func bodyEnded(trailers: ByteBuffer)
    /// Everything that arrived together has been handed over.
    func bodyFlush()
    /// Whether the client's connection takes more of the answer.
    func clientWritabilityChanged(isWritable: Bool)
    /// The client is gone, or its request is given up: nothing more is owed.
    func clientGone()
    /// Whether the answer that was begun says how long its body is.
    var answersAtLength: Bool { get }
    /// Called a few times a second with the time in monotonic nanoseconds.
    func tick(now: UInt64)
}

/// Decides the requests of one connection, one after the other: gives each a responder or a response, now or later.
package protocol RequestHandler: AnyObject {
    /// A request begins that this handler sees to its end: `finished` follows, once.
    func began(_ client: ClientHandler)
    /// The field policy of responses to requests whose route is not known; `nil`: there is none.
    var additions: ResponseFieldPolicy? { get }
    func handle(_ request: RequestView, from client: ClientHandler)
    /// The response goes on as a stream. `nil`: it is watched like any other.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream?
    /// An exchange that is no stream lasts. The result watches its permission; `nil` if no revocation can end it.
    func watchExchange(of client: ClientHandler) -> OpenStream?
    /// Why a stream of the current request may not go on any more, as far as that is known here; `nil`: it may.
    func refusal(of stream: OpenStream) -> DecisionCode?
    /// The client of a request that has no responder yet is gone.
    func abandoned(_ client: ClientHandler)
    /// The request is over; its record is complete.
    func finished(_ client: ClientHandler)
}

/// Makes the handler of each connection.
package protocol RequestHandlerSource: AnyObject {
    func makeHandler() -> any RequestHandler
}
