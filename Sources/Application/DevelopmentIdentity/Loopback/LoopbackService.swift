/// The service of a loopback server. Its functions are called on the connection's event loop and must not block.
protocol LoopbackService: Sendable {
    /// Returns the response to a complete request.
    func respond(to request: ReceivedRequest) -> Response
    /// Handles a request that ended before it was complete.
    func abandon(_ request: ReceivedRequest)
}

/// A replacement of a development server's responses, for tests that need a misbehaving server.
package protocol ResponseInterceptor: Sendable {
    /// Returns steps for the head of a request whose body has not arrived. `nil` for the server's own: an interim
    /// response 100 if the client expects it.
    func begin(_ head: ReceivedRequest) -> [ResponseStep]?
    /// Returns steps that replace the server's response to a complete request. `nil` to send the server's own.
    func respond(to request: ReceivedRequest, insteadOf response: Response) -> [ResponseStep]?
}
