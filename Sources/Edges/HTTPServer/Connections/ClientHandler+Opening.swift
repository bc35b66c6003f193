import GatewayCore
import NIOCore
import NIOSSL
import NIOTLS

extension ClientHandler {
    /// A PROXY header was read, or the handshake is complete.
    func openingWent(on event: Any) {
        front.readClock()
        switch event {
        case let header as ProxyHeaderRead:
            if let source = header.source {
                let peer = PeerAddress(source, isSecure: opening?.isSecure == true, through: [])
                origins = RequestOrigin(peer: peer)
                guard holder?.client(is: peer) != false else { return close() }
            }
            if opening?.isSecure != true { connection.opened(now: front.time) }
        case let event as TLSUserEvent:
            guard case .handshakeCompleted = event else { return }
            opening?.handshakeTook(front.time &- min(front.time, connection.lastProgress))
            connection.opened(now: front.time)
        case is ConnectionHolder.MakeRoom:
            makeRoom()
        default:
            break
        }
    }

    /// Ends the connection as it is. Over TLS without its own end, so that an answer that was cut short never looks complete, and without
    /// waiting for the peer's.
    func closeTransport() {
        guard let context else { return }
        if opening?.isSecure == true,
            let below = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        {
            below.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }
}
