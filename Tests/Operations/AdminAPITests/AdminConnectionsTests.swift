import NIOCore
import NIOEmbedded
import Testing

@testable import AdminAPI

struct AdminConnectionsTests {
    private let open = AdminConnections(limit: 4, perNetwork: 3)

    private func connect(from host: UInt8) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "192.0.2.\(host)", port: 1000)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        channel.remoteAddress = try SocketAddress(ipAddress: "192.0.2.\(host)", port: 1000)
        return channel
    }

    private func enter(_ host: UInt8, count: Int) throws -> [EmbeddedChannel] {
        try (0..<count).map { _ in
            let channel = try connect(from: host)
            #expect(open.enter(channel))
            return channel
        }
    }

    @Test func `a connection above the limit of a network closes its oldest one`() throws {
        let first = try enter(1, count: 3)
        let last = try enter(1, count: 1)
        #expect((first + last).map(\.isActive) == [false, true, true, true])
        #expect(open.closedCount == 1)
    }

    @Test func `a new connection above the limit closes the oldest one of the network with most connections`() throws {
        let one = try enter(1, count: 1)
        let many = try enter(2, count: 3)
        let probe = try enter(3, count: 1)
        #expect(one[0].isActive && probe[0].isActive)
        #expect(many.map(\.isActive) == [false, true, true])
    }

    @Test func `a connection with an authorized call is not closed`() throws {
        let channels = try enter(1, count: 3)
        for channel in channels { open.keep(channel) }
        #expect(!open.enter(try connect(from: 1)))
        let other = try enter(2, count: 1)
        let next = try enter(3, count: 1)
        #expect(channels.allSatisfy(\.isActive) && next[0].isActive && !other[0].isActive)
        open.keep(next[0])
        #expect(!open.enter(try connect(from: 4)))
        open.leave(channels[0])
        #expect(open.enter(try connect(from: 4)))
    }
}
