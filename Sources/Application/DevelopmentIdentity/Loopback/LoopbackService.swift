/// What a loopback server responds. Its functions are called on the connection's event loop and must not block.
protocol LoopbackService: Sendable {
    /// Returns the response to a complete request.
    func respond(to request: ReceivedRequest) -> Response
    /// Takes a request that ended before it was complete.
    func abandon(_ request: ReceivedRequest)
}

/// Replaces what a development server sends; for tests that need a server that misbehaves.
package protocol ResponseInterceptor: Sendable {
    /// Returns steps for the head of a request, whose body is still missing. `nil`: the server's own, an interim response 100 where the client
    /// waits for it.
    func begin(_ head: ReceivedRequest) -> [ResponseStep]?
    /// Returns steps in place of the server's own response to a complete request. `nil`: the server sends its own.
    func respond(to request: ReceivedRequest, insteadOf response: Response) -> [ResponseStep]?
}
