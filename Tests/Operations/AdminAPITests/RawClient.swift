import NIOCore
import NIOPosix

/// Sends bytes to an address and returns all that comes until the connection is closed.
enum RawClient {
    static func exchange(_ text: String, with address: SocketAddress) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var received = ""
            for try await part in inbound { received += String(buffer: part) }
            return received
        }
    }
}
