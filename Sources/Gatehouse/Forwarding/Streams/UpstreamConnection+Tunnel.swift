import HTTPWire
import NIOCore

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
        guard answer.render(additions, to: origin, into: &front.answerScratch) else {
            fail(.internalError)
            return false
        }
        allowHalfClosure()
        client.write(front.answerScratch)
        client.beginTunnel(isWebSocket: upgrade.isWebSocket)
        return true
    }

    /// The upstream sends nothing more. The client is told, and may still send, unless it has ended, too.
    func tunnelOutputEnded() {
        guard let client else { return closeNow() }
        if exchange?.tunnelOutputEnded() == true {
            endTunnel(of: client)
        } else {
            client.finishOutput()
        }
    }

    /// The client sends nothing more: the upstream is told, and may still send, unless it has ended, too.
    func tunnelInputEnded() {
        guard exchange?.tunnelInputEnded() != true else {
            if let client { endTunnel(of: client) }
            return
        }
        finishOutput()
    }

    private func endTunnel(of client: ClientHandler) {
        self.client = nil
        closeNow()
        client.flush()
        client.endAnswer()
    }
}
