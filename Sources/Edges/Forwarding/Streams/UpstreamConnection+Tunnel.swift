import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline

extension UpstreamConnection {
    /// Handles a 101 of the upstream, which is invalid without a matching upgrade request. Returns whether there may be
    /// more to do.
    func switchProtocols(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) -> Bool {
        guard let upgrade,
            let response = UpgradeResponse(head, bytes: bytes, fields: connectionContext.responseFields, to: upgrade)
        else {
            fail(.upstreamInvalidResponse)
            return false
        }
        exchange?.tunnelBegan()
        responseBody = .untilClose
        delivery = .asIs
        _ = client.beginResponse(status: 101, persistent: false)
        let scratch = connectionContext.flushes.responses.next()
        guard response.render(for: client.record, into: &scratch.pointee) else {
            fail(.internalError)
            return false
        }
        allowHalfClosure()
        client.write(scratch.pointee)
        client.beginTunnel(isWebSocket: upgrade.isWebSocket)
        return true
    }

    /// Handles the end of the upstream's direction. The client may still send unless its direction has ended too.
    func tunnelOutputEnded() {
        guard let client else { return closeNow() }
        if exchange?.tunnelOutputEnded() == true {
            endTunnel()
        } else {
            client.finishOutput()
        }
    }

    /// Handles the end of the client's direction. The upstream may still send unless its direction has ended too.
    func tunnelInputEnded() {
        if exchange?.tunnelInputEnded() == true { endTunnel() } else { finishOutput() }
    }

    /// Closes the tunnel after both directions have ended and the client's last data is sent. Until then the watch
    /// continues.
    private func endTunnel() {
        afterSending { connection in
            guard let client = connection.client else { return connection.closeNow() }
            connection.client = nil
            connection.closeNow()
            client.flush()
            client.endResponse()
        }
    }

    /// Enables half-closure, because the directions of a tunnel end separately.
    private func allowHalfClosure() {
        try? context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    }

    /// Half-closes the connection after all written data.
    private func finishOutput() {
        afterSending { $0.context?.close(mode: .output, promise: nil) }
    }
}
