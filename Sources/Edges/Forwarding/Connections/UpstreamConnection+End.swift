import GatewayCore
import HTTPServer
import NIOCore

/// The ends of an exchange: complete, failed, retried, or with the connection.
extension UpstreamConnection {
    /// Handles the close of the connection; may be called more than once.
    func ended() {
        guard !defersEnd(.connection) else { return }
        resolveOutcome()
        guard !isRetired else { return }
        isRetired = true
        pool.closed(self)
    }

    /// Ends the exchange after the connection was closed.
    private func resolveOutcome() {
        guard let client, let exchange else { return }
        switch exchange.outcome() {
        case .complete:
            self.client = nil
            // The upstream delimited the body by closing; the client receives the last chunk.
            if delivery == .chunked { client.write(ByteBuffer(staticString: "0\r\n\r\n")) }
            finishResponse(of: client)
        case .retry:
            self.client = nil
            client.serveAgain()
        case .noResponse: failWithoutResponse(.upstreamUnreachable)
        case .brokenHead: failWithoutResponse(.upstreamInvalidResponse)
        // The end of a tunnel is not a failure of the server.
        case .brokenBody: fail(.upstreamInvalidResponse, blaming: !exchange.isTunnel)
        }
    }

    /// Handles a connection that ended before a response. The request is retried on another server if permitted.
    private func failWithoutResponse(_ code: DecisionCode) {
        // A reused connection may have been closed for idleness, which is not a failure of the server.
        if (served == 1 && !sharesUsedConnection) || exchange?.isReset == true || code == .upstreamInvalidResponse {
            recordFailure(code)
        }
        if !sendsElsewhere(after: .reset) { fail(code, blaming: false) }
    }

    /// Fails the exchange. The client receives a denial, or, if the response has begun, a truncated response.
    func fail(_ code: DecisionCode, blaming: Bool = true) {
        guard let client else { return closeNow() }
        if blaming { recordFailure(code) }
        self.client = nil
        client.responder = nil
        if client.connection.responseStarted {
            client.abandon(code)
        } else {
            client.deny(Denial(code))
        }
        closeNow()
    }

    /// Completes the exchange. The connection returns to the pool if both sides can reuse it.
    func complete(for client: ClientHandler) {
        let isReusable = exchange?.isReusable == true && inbound.readableBytes == 0 && dueEnd == nil
        self.client = nil
        // The connection may serve another client before this one is found gone.
        client.responder = nil
        exchange = nil
        inbound = ByteBuffer()
        resumeReading()
        if isReusable {
            leaveChannel()
            // The connection may have been found broken, in which case the pool has already removed it.
            if !isRetired { pool.released(self) }
        } else {
            closeNow()
        }
        finishResponse(of: client)
    }

    private func finishResponse(of client: ClientHandler) {
        client.flush()
        client.endResponse()
    }

    // MARK: - Failures

    /// Records the status of a response for the server. Returns whether to pass the response on; otherwise the request
    /// is retried.
    func passesOn(status: Int, for client: ClientHandler) -> Bool {
        guard (502...504).contains(status) else {
            pool.requestAnswered(at: server)
            return true
        }
        pool.requestFailed(at: server, why: "status \(status)")
        guard pool.settings.retry.statuses.contains(status), sendsElsewhere(after: .status) else { return true }
        return false
    }

    /// Retries the request if permitted, on another server if available. The response is then dropped and this
    /// connection closed. Returns whether the request is retried.
    func sendsElsewhere(after reason: UpstreamRetry.Reason) -> Bool {
        guard let client, exchange?.maySendElsewhere == true, pool.mayRetry(reason, at: server, for: client) else {
            return false
        }
        self.client = nil
        closeNow()
        client.serveAgain()
        return true
    }

    /// Records a failed exchange against the server.
    func recordFailure(_ code: DecisionCode) {
        switch code {
        case .upstreamUnreachable: pool.requestFailed(at: server, why: "the connection was closed without a response")
        case .upstreamInvalidResponse: pool.requestFailed(at: server, why: "a response was invalid or truncated")
        case .upstreamTimeout: pool.requestFailed(at: server, why: "no response within the timeout")
        default: break
        }
    }
}
