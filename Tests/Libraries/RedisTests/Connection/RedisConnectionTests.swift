import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Redis

/// Records the events of a connection.
final class Recorder: RedisReceiver {
    enum Event: Equatable {
        case reply(UInt64, RedisValue)
        case failure(UInt64, RedisFailure)
    }

    private(set) var events: [Event] = []
    var onEvent: (() -> Void)?

    func received(_ reply: RedisReply, ticket: UInt64) {
        events.append(.reply(ticket, reply.value()))
        onEvent?()
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        events.append(.failure(ticket, failure))
        onEvent?()
    }
}

private final class Owner: RedisConnectionOwner {
    private(set) var opened: [Handshake.Finding] = []
    private(set) var closed: [RedisProblem] = []

    func connection(_ connection: RedisConnection, opened finding: Handshake.Finding) { opened.append(finding) }
    func connection(_ connection: RedisConnection, renewedCredentials isAccepted: Bool) {}
    func connection(_ connection: RedisConnection, closed problem: RedisProblem) { closed.append(problem) }
}

/// A connection on an embedded channel, with the clock of the embedded loop.
private final class Wired {
    let channel = EmbeddedChannel()
    private var replies = 0
    let connection: RedisConnection
    let owner = Owner()
    let recorder = Recorder()

    init(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws {
        var configuration = RedisConfiguration(host: "h")
        configuration.heartbeatInterval = .seconds(1000)
        change(&configuration)
        let loop = channel.embeddedEventLoop
        connection = RedisConnection(
            to: RedisEndpoint(host: "h", port: 1), .server(configuration, role: .any), configuration,
            role: .any, owner: owner, clock: { loop.now.uptimeNanoseconds }, firstMarker: 0)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.embeddedEventLoop.run()
        _ = try channel.readOutbound(as: ByteBuffer.self)
    }

    static func ready(_ change: (inout RedisConfiguration) -> Void = { _ in }) throws -> Wired {
        let wired = try Wired(change)
        try wired.receive("+PONG\r\n" + Replies.echo)
        return wired
    }

    /// Receives replies in one packet, each after the marker of its command.
    func reply(_ texts: String...) throws {
        var packet = ""
        for text in texts {
            packet += Replies.marker(replies) + text
            replies += 1
        }
        try receive(packet)
    }

    func receive(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    func send(_ text: String, ticket: UInt64, timeout: Int64 = 50) {
        send(RedisCommand([text]), ticket: ticket, timeout: timeout)
    }

    /// Sends like a link.
    func send(_ command: RedisCommand, ticket: UInt64, timeout: Int64 = 50) {
        let failure = connection.send(command, ticket: ticket, timeout: UInt64(timeout) * 1_000_000, to: recorder)
        if let failure { recorder.failed(failure, ticket: ticket) }
    }

    /// Returns the commands of the next write after this tick, without their markers.
    func written() throws -> String? {
        let marker = /\*2\r\n\$4\r\nECHO\r\n\$16\r\n[0-9a-f]{16}\r\n/
        return try writtenWithMarkers().map { $0.replacing(marker, with: "") }
    }

    func writtenWithMarkers() throws -> String? {
        channel.embeddedEventLoop.run()
        return try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
    }
}

/// Changes the writability during each write, like a socket whose buffer fills.
private final class Reentrant: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var onWrite: (() -> Void)?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let once = onWrite
        onWrite = nil
        once?()
        context.fireChannelWritabilityChanged()
        context.write(data, promise: promise)
    }
}

struct RedisConnectionTests {
    private static let two = "*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n"

    @Test func `the commands of one tick are written at once`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        wired.send("b", ticket: 2)
        #expect(try wired.channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(try wired.written() == Self.two)
        #expect(try wired.written() == nil)
        wired.send("c", ticket: 3)
        #expect(try wired.written() == "*1\r\n$1\r\nc\r\n")
    }

    @Test func `a command that is sent during the delivery of a reply gets its reply`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        _ = try wired.written()
        wired.recorder.onEvent = {
            if wired.recorder.events.count == 1 { wired.send("b", ticket: 2) }
        }
        try wired.reply(":1\r\n")
        #expect(try wired.written() == "*1\r\n$1\r\nb\r\n")
        try wired.reply(":2\r\n")
        #expect(wired.recorder.events == [.reply(1, .integer(1)), .reply(2, .integer(2))])
    }

    @Test func `commands wait while the channel is not writable`() throws {
        let wired = try Wired.ready()
        wired.channel.isWritable = false
        wired.channel.pipeline.fireChannelWritabilityChanged()
        wired.send("a", ticket: 1)
        #expect(try wired.written() == nil)
        wired.send("b", ticket: 2)
        wired.channel.isWritable = true
        wired.channel.pipeline.fireChannelWritabilityChanged()
        #expect(try wired.written() == Self.two)
    }

    @Test func `a reentrant write sends each command once`() throws {
        let wired = try Wired.ready()
        let echo = Reentrant()
        try wired.channel.pipeline.syncOperations.addHandler(echo, position: .first)
        echo.onWrite = { wired.send("b", ticket: 2) }
        wired.send("a", ticket: 1)
        #expect(try wired.written() == "*1\r\n$1\r\na\r\n")
        #expect(try wired.written() == "*1\r\n$1\r\nb\r\n")
        #expect(try wired.written() == nil)
    }

    @Test(arguments: [(100, 4096), (1 << 20, 2)])
    func `unsent bytes and commands in flight are limited`(unsentSize: Int, inFlight: Int) throws {
        let wired = try Wired.ready {
            $0.maximumUnsentSize = unsentSize
            $0.maximumInFlight = inFlight
        }
        wired.channel.isWritable = false
        wired.channel.pipeline.fireChannelWritabilityChanged()
        for ticket: UInt64 in 1...4 { wired.send("a", ticket: ticket) }
        #expect(wired.recorder.events == [.failure(3, .overloaded), .failure(4, .overloaded)])
    }

    @Test func `a command times out once, and its late reply is dropped`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        wired.send("b", ticket: 2, timeout: 100)
        wired.channel.embeddedEventLoop.advanceTime(by: .milliseconds(60))
        #expect(wired.recorder.events == [.failure(1, .timedOut)])
        try wired.reply(":1\r\n", ":2\r\n")
        #expect(wired.recorder.events == [.failure(1, .timedOut), .reply(2, .integer(2))])
    }

    @Test func `a later command may have an earlier deadline`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1, timeout: 500)
        wired.channel.embeddedEventLoop.advanceTime(by: .milliseconds(10))
        wired.send("b", ticket: 2, timeout: 20)
        wired.channel.embeddedEventLoop.advanceTime(by: .milliseconds(20))
        #expect(wired.recorder.events == [.failure(2, .timedOut)])
        wired.channel.embeddedEventLoop.advanceTime(by: .milliseconds(470))
        #expect(wired.recorder.events == [.failure(2, .timedOut), .failure(1, .timedOut)])
    }

    @Test func `the end of the connection is reported to the owner before the commands`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        wired.send("b", ticket: 2)
        var owned: [Int] = []
        wired.recorder.onEvent = { owned.append(wired.owner.closed.count) }
        _ = try wired.channel.finish(acceptAlreadyClosed: true)
        let problem = RedisProblem(.closedByServer, at: RedisEndpoint(host: "h", port: 1))
        #expect(wired.owner.closed == [problem])
        #expect(
            wired.recorder.events == [.failure(1, .connectionLost(problem)), .failure(2, .connectionLost(problem))])
        #expect(owned == [1, 1])
        wired.send("c", ticket: 3)
        guard case .failure(3, .notConnected)? = wired.recorder.events.last else {
            Issue.record("sent on a connection that has ended")
            return
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", RedisProblem.Code.notRedis), ("*100000000\r\n", .replyTooLarge),
        ("$1048577\r\na", .replyTooLarge), (":1\r\n:2\r\n", .unaskedReply),
    ])
    func `an invalid, large or unrequested reply closes the connection`(text: String, code: RedisProblem.Code) throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        try wired.reply(text)
        #expect(wired.owner.closed.map(\.code) == [code])
        #expect(wired.recorder.events.count == 1)
        #expect(!wired.channel.isActive)
        try wired.receive("+OK\r\n")
    }

    @Test(arguments: [
        ("READONLY You can't write against a read only replica.", RedisProblem.Code.readOnly),
        ("LOADING Redis is loading the dataset in memory", .loading), ("MASTERDOWN x", .masterDown),
        ("MOVED 3999 127.0.0.1:6381", .cluster), ("NOAUTH x", .passwordRequired), ("UNBLOCKED x", .notMaster),
    ])
    func `an error about the server state and the replies after it are delivered before the connection closes`(
        error: String, code: RedisProblem.Code
    ) throws {
        let wired = try Wired.ready()
        for ticket: UInt64 in 1...3 { wired.send("a", ticket: ticket) }
        try wired.reply("-\(error)\r\n", ":2\r\n")
        #expect(wired.owner.closed.map(\.code) == [code])
        #expect(wired.recorder.events.count == 3)
        #expect(wired.recorder.events[1] == .reply(2, .integer(2)))
        guard case .reply(1, .error) = wired.recorder.events[0],
            case .failure(3, .connectionLost) = wired.recorder.events[2]
        else {
            Issue.record("\(wired.recorder.events)")
            return
        }
    }

    @Test(arguments: [
        "ERR x", "WRONGTYPE x", "OOM command not allowed", "NOPERM x", "BUSY x", "NOREPLICAS x", "MISCONF x",
        "READONLYX",
    ])
    func `an error of one command keeps the connection open`(error: String) throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        try wired.reply("-\(error)\r\n")
        #expect(wired.owner.closed.isEmpty)
        wired.send("b", ticket: 2)
        try wired.reply(":2\r\n")
        #expect(wired.recorder.events.last == .reply(2, .integer(2)))
    }

    @Test func `a receiver that closes the connection gets no more replies`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        wired.send("b", ticket: 2)
        wired.recorder.onEvent = { wired.connection.close(RedisProblem(.stopped)) }
        try wired.reply(":1\r\n", ":2\r\n")
        #expect(wired.recorder.events == [.reply(1, .integer(1)), .failure(2, .closed)])
    }

    @Test func `a timeout of the handshake is reported to the owner only`() throws {
        let wired = try Wired()
        wired.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(wired.owner.closed.map(\.code) == [.connectTimedOut])
        #expect(wired.owner.opened.isEmpty)
    }

    @Test func `an idle connection sends heartbeats`() throws {
        let wired = try Wired.ready { $0.heartbeatInterval = .seconds(1) }
        wired.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try wired.written() == "*1\r\n$4\r\nPING\r\n")
        wired.channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(wired.owner.closed.map(\.code) == [.silent])
    }

    @Test func `the interval of heartbeats does not depend on the timeout of replies`() throws {
        let wired = try Wired.ready {
            $0.heartbeatInterval = .seconds(1)
            $0.replyTimeout = .seconds(100)
        }
        for _ in 0..<3 {
            wired.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(try wired.written() == "*1\r\n$4\r\nPING\r\n")
            try wired.reply("+PONG\r\n")
        }
    }

    @Test func `a command that is sent during a timeout does not get the reply to a heartbeat`() throws {
        let wired = try Wired.ready { $0.heartbeatInterval = .seconds(1) }
        wired.send("a", ticket: 1, timeout: 1000)
        _ = try wired.written()
        wired.recorder.onEvent = {
            if wired.recorder.events.count == 1 { wired.send("b", ticket: 2, timeout: 1000) }
        }
        wired.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(try wired.written() == "*1\r\n$4\r\nPING\r\n*1\r\n$1\r\nb\r\n")
        try wired.reply(":1\r\n", "+PONG\r\n", ":2\r\n")
        #expect(wired.recorder.events == [.failure(1, .timedOut), .reply(2, .integer(2))])
    }

    @Test func `a connection without an owner closes`() throws {
        var wired: Wired? = try Wired.ready { $0.heartbeatInterval = .seconds(1) }
        let channel = wired?.channel
        wired = nil
        channel?.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(channel?.isActive == false)
    }

    @Test func `the buffer of a large command is released`() throws {
        let wired = try Wired.ready()
        wired.send(RedisCommand(["SET", "k", [UInt8](repeating: 1, count: 1 << 20)]), ticket: 1)
        #expect(try wired.written()?.utf8.count ?? 0 > 1 << 20)
        wired.send("a", ticket: 2)
        #expect(try wired.written() == "*1\r\n$1\r\na\r\n")
    }

    @Test func `each command of a pipeline has its own marker`() throws {
        let wired = try Wired.ready()
        let marker = { (number: Int) in "*2\r\n$4\r\nECHO\r\n$16\r\n000000000000000\(number)\r\n" }
        wired.send(RedisCommand(["a"]) + RedisCommand(["b"]) + RedisCommand(["c"]), ticket: 1)
        wired.send("d", ticket: 2)
        let commands = ["a", "b", "c", "d"].enumerated().map { marker($0) + "*1\r\n$1\r\n\($1)\r\n" }
        #expect(try wired.writtenWithMarkers() == commands.joined())
    }

    @Test func `a lost reply closes the connection and fails its command and all later ones`() throws {
        let wired = try Wired.ready()
        for ticket: UInt64 in 1...3 { wired.send("a", ticket: ticket) }
        try wired.receive(Replies.marker(0) + ":1\r\n" + Replies.marker(1) + Replies.marker(2) + ":3\r\n")
        let problem = RedisProblem(.misaligned, at: RedisEndpoint(host: "h", port: 1))
        #expect(wired.owner.closed == [problem])
        #expect(
            wired.recorder.events == [
                .reply(1, .integer(1)), .failure(2, .connectionLost(problem)), .failure(3, .connectionLost(problem)),
            ])
    }

    @Test func `a user without the right to a marker's command gets no reply`() throws {
        let wired = try Wired.ready()
        wired.send("a", ticket: 1)
        try wired.receive("-NOPERM x\r\n:1\r\n")
        #expect(wired.owner.closed.map(\.code) == [.noPermission])
        #expect(wired.recorder.events.count == 1)
    }
}
