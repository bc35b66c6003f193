import Foundation
import Testing

@testable import Gatehouse
@testable import SystemFixtures

@Suite struct NotifySocketTests {
    private func socket(_ address: String) throws -> NotifySocket {
        let address = try #require(NotifyAddress(address))
        return try #require(NotifySocket(address))
    }

    @Test func `a message to a path arrives as one datagram`() throws {
        let folder = try ScratchFolder()
        let receiver = try DatagramReceiver(folder.path("n"))
        let socket = try socket(folder.path("n"))
        #expect(socket.send("READY=1\nSTATUS=x") == .sent)
        #expect(socket.send("STOPPING=1") == .sent)
        #expect(receiver.receive() == "READY=1\nSTATUS=x")
        #expect(receiver.receive() == "STOPPING=1")
        #expect(receiver.receive() == nil)
    }

    #if os(Linux)
        @Test func `a message to an abstract name arrives`() throws {
            let name = "@gatehouse-\(UUID().uuidString)"
            let receiver = try DatagramReceiver(name)
            #expect(try socket(name).send("READY=1") == .sent)
            #expect(receiver.receive() == "READY=1")
        }
    #endif

    @Test func `an absent receiver is a failure, and a later one receives messages`() throws {
        let folder = try ScratchFolder()
        let socket = try socket(folder.path("n"))
        #expect(socket.send("READY=1") == .failed(ENOENT))
        let receiver = try DatagramReceiver(folder.path("n"))
        #expect(socket.send("READY=1") == .sent)
        #expect(receiver.receive() == "READY=1")
    }

    @Test func `a receiver that reads nothing does not block`() throws {
        let folder = try ScratchFolder()
        let receiver = try DatagramReceiver(folder.path("n"))
        let socket = try socket(folder.path("n"))
        // The limit of the queue is a setting of the system, net.unix.max_dgram_qlen.
        let outcomes = (0..<100_000).lazy.map { _ in socket.send("STATUS=x") }
        #expect(outcomes.first { $0 != .sent } == .full)
        while receiver.receive() != nil {}
        #expect(socket.send("STATUS=y") == .sent)
        #expect(receiver.receive() == "STATUS=y")
    }
}
