import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore
import RequestPipeline

extension UpstreamConnection {
    /// The upstream says that it switches protocols. Where nobody asked for that, or for something else, it is no answer.
    ///
    /// - Returns: whether there may be more to do.
    func switchProtocols(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) -> Bool {
        guard let upgrade,
            let answer = UpgradeAnswer(head, bytes: bytes, fields: front.answerFields, to: upgrade)
        else {
            fail(.upstreamInvalidResponse)
            return false
        }
        exchange?.tunnelBegan()
        answerBody = .untilClose
        delivery = .asIs
        _ = client.beginAnswer(status: 101, persistent: false)
        let (additions, origin) = (client.record.additions, client.record.corsOrigin)
        let scratch = front.flushes.answers.next()
        guard answer.render(additions, to: origin, into: &scratch.pointee) else {
            fail(.internalError)
            return false
        }
        allowHalfClosure()
        client.write(scratch.pointee)
        client.beginTunnel(isWebSocket: upgrade.isWebSocket)
        return true
    }

    /// The upstream sends nothing more. The client is told, and may still send, unless it has ended, too.
    func tunnelOutputEnded() {
        guard let client else { return closeNow() }
        if exchange?.tunnelOutputEnded() == true {
            endTunnel()
        } else {
            client.finishOutput()
        }
    }

    /// The client sends nothing more: the upstream is told, and may still send, unless it has ended, too.
    func tunnelInputEnded() {
        if exchange?.tunnelInputEnded() == true { endTunnel() } else { finishOutput() }
    }

    /// Both directions have ended. What the client sent last is sent before; until then the stream is watched as before.
    private func endTunnel() {
        afterSending { connection in
            guard let client = connection.client else { return connection.closeNow() }
            connection.client = nil
            connection.closeNow()
            client.flush()
            client.endAnswer()
        }
    }
}
