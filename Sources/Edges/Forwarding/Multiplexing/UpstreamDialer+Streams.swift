import GatewayConfiguration
import NIOCore

extension UpstreamDialer {
    /// Opens a connection for one request in HTTP/1.1, or a stream of an HTTP/2 connection of its own, which is closed
    /// with the stream. Call it on `loop`.
    func dialForOneRequest(
        _ endpoint: UpstreamEndpoint, on loop: any EventLoop, timeout: UInt64, handler: some ChannelInboundHandler
    ) -> EventLoopFuture<any Channel> {
        guard settings.protocol.isMultiplexed else {
            return dial(endpoint, on: loop, timeout: timeout, handler: handler)
        }
        let connection = SharedConnection(settings: settings, loop: loop)
        let parts = NIOLoopBound((connection, handler as any ChannelInboundHandler), eventLoop: loop)
        let isSecure = settings.protocol == .h2
        return dial(endpoint, on: loop, timeout: timeout, sharing: connection).flatMap { _ in
            let (connection, handler) = parts.value
            return connection.openStream(handler, isSecure: isSecure, clock: { 0 }, onEnd: { _ in connection.close() })
        }
    }
}
