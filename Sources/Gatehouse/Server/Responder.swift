import HTTPWire
import NIOCore

/// What takes a request's body and gives its answer. All calls come on the worker's event loop.
protocol Responder: AnyObject {
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

/// What decides requests: gives each a responder or an answer, now or later.
protocol RequestHandler: AnyObject {
    /// A request begins that this handler sees to its end: `finished` follows, once.
    func began(_ client: ClientHandler)
    /// What answers have besides to requests whose route is not known; nil: nothing.
    var additions: AnswerAdditions? { get }
    func handle(_ request: RequestView, from client: ClientHandler)
    /// The answer of a request that it began goes on as a stream; nil: it is watched like any other.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream?
    /// An exchange that is no stream lasts: what its permission is watched by; nil: nobody's who could lose it.
    func watchExchange(of client: ClientHandler) -> OpenStream?
    /// Why a stream may not go on any more, as far as that is known here; nil: it may.
    func refusal(of stream: OpenStream) -> DecisionCode?
    /// The client of a request that has no responder yet is gone.
    func abandoned(_ client: ClientHandler)
    /// The request is over; its record is complete.
    func finished(_ client: ClientHandler)
}

/// One parsed request head. Valid during the call that gives it.
struct RequestView {
    let head: RequestHead
    let bytes: UnsafeRawBufferPointer
    let fields: FieldTable
}
