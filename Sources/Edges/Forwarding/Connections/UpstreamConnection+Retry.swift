import GatewayCore
import HTTPServer

extension UpstreamConnection {
    /// Looks at the status of an answer before anything of it is passed on.
    ///
    /// - Returns: whether it is passed on; else its request is served elsewhere.
    func passesOn(status: Int, for client: ClientHandler) -> Bool {
        guard (502...504).contains(status) else {
            pool.requestAnswered(at: server)
            return true
        }
        pool.requestFailed(at: server, why: "status \(status)")
        guard pool.settings.retry.statuses.contains(status), sendsElsewhere(after: .status) else { return true }
        return false
    }

    /// Sends the request again, to another server where there is one: what it says of this one is dropped, and this connection closed.
    ///
    /// - Returns: whether that may be, and is done.
    func sendsElsewhere(after reason: UpstreamRetry.Reason) -> Bool {
        guard let client, exchange?.maySendElsewhere == true, pool.mayRetry(reason, at: server, for: client) else {
            return false
        }
        self.client = nil
        closeNow()
        client.serveAgain()
        return true
    }

    /// What a failed exchange says of the server.
    func blame(_ code: DecisionCode) {
        switch code {
        case .upstreamUnreachable: pool.requestFailed(at: server, why: "the connection ended without an answer")
        case .upstreamInvalidResponse: pool.requestFailed(at: server, why: "an answer was invalid or cut short")
        case .upstreamTimeout: pool.requestFailed(at: server, why: "no answer in time")
        default: break
        }
    }
}
