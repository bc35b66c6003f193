import Testing

@testable import Forwarding

/// The placement of streams on connections.
@Suite struct SharedConnectionsTests {
    private func machine(limit: Int = 2, streamsEach: Int = 2) -> SharedConnections {
        SharedConnections(limit: limit, streamsEach: streamsEach)
    }

    @Test func `streams share a connection up to its limit, then another one is opened`() {
        var machine = machine()
        #expect(machine.free == 4)
        #expect(machine.place(on: 0) == .dial(0))
        #expect(machine.place(on: 0) == .join(0))
        #expect(machine.opened(0, peerLimit: nil, until: .max) == 0)
        #expect(machine.place(on: 0) == .dial(1))
        _ = machine.opened(1, peerLimit: nil, until: .max)
        #expect(machine.place(on: 0) == .open(1))
        #expect(machine.place(on: 0) == .full)
        #expect(machine.free == 0)
        #expect(machine.streams == 4)
        #expect(machine.ended(0, isReset: false, now: 1) == false)
        #expect(machine.place(on: 0) == .open(0))
    }

    @Test func `M-57: a server's limit displaces the streams beyond it and holds for its next connections`() {
        var machine = machine(limit: 2, streamsEach: 100)
        #expect(machine.place(on: 0) == .dial(0))
        #expect(machine.place(on: 0) == .join(0))
        #expect(machine.place(on: 0) == .join(0))
        #expect(machine.opened(0, peerLimit: 1, until: .max) == 2)
        _ = machine.ended(0, isReset: false, now: 1)
        _ = machine.ended(0, isReset: false, now: 1)
        #expect(machine.free == 1)
        #expect(machine.place(on: 0) == .dial(1))
        #expect(machine.place(on: 0) == .full)
        _ = machine.opened(1, peerLimit: 0, until: .max)
        _ = machine.ended(1, isReset: false, now: 1)
        #expect(machine.place(on: 0) == .full)
        machine.limited(1, peerLimit: 3)
        #expect(machine.place(on: 0) == .open(1))
    }

    @Test func `a draining connection receives no streams, closes after its last one, and is replaced`() {
        var machine = machine(limit: 1)
        #expect(machine.place(on: 0) == .dial(0))
        _ = machine.opened(0, peerLimit: nil, until: .max)
        #expect(machine.drain(0) == false)
        #expect(machine.place(on: 0) == .dial(1))
        #expect(machine.ended(0, isReset: false, now: 1) == true)
        machine.closed(0)
        #expect(machine.count == 1)
    }

    @Test func `connections that a server drains are closed, oldest first, when another one is needed`() {
        var machine = machine(limit: 1, streamsEach: 1)
        for id in 0..<2 {
            #expect(machine.place(on: 0) == .dial(id))
            _ = machine.opened(id, peerLimit: nil, until: .max)
            #expect(machine.drain(id) == false)
        }
        #expect(machine.free == 1)
        #expect(machine.place(on: 0) == .dial(2, closing: 0))
        #expect(machine.count == 2)
        // The streams of the closed connection end later.
        #expect(machine.ended(0, isReset: true, now: 1) == false)
        #expect(machine.place(on: 0) == .full)
    }

    @Test func `a usable connection is not replaced while as many drain as may be open`() {
        var machine = machine(limit: 1, streamsEach: 2)
        #expect(machine.place(on: 0) == .dial(0))
        _ = machine.opened(0, peerLimit: nil, until: .max)
        #expect(machine.retire(0) == false)
        #expect(machine.phase(of: 0) == .draining)
        #expect(machine.place(on: 0) == .dial(1))
        _ = machine.opened(1, peerLimit: nil, until: .max)
        #expect(machine.retire(1) == false)
        #expect(machine.phase(of: 1) == .open)
        for _ in 0..<2 * SharedConnections.maximumResets {
            #expect(machine.place(on: 0) == .open(1))
            #expect(machine.ended(1, isReset: true, now: 1) == false)
        }
        // Without streams it is closed at once.
        #expect(machine.ended(1, isReset: false, now: 1) == false)
        #expect(machine.retire(1) == true)
    }

    @Test func `M-56: resets replace a connection without ending its other streams`() {
        var machine = machine(limit: 2, streamsEach: 2)
        #expect(machine.place(on: 0) == .dial(0))
        _ = machine.opened(0, peerLimit: nil, until: .max)
        for _ in 0..<SharedConnections.maximumResets {
            #expect(machine.place(on: 0) == .open(0))
            #expect(machine.ended(0, isReset: true, now: 1) == false)
        }
        #expect(machine.phase(of: 0) == .draining)
        #expect(machine.streams(of: 0) == 1)
        #expect(machine.place(on: 0) == .dial(1))
    }

    @Test func `M-56: resets at a low rate replace no connection`() {
        var machine = machine(limit: 1, streamsEach: 1)
        #expect(machine.place(on: 0) == .dial(0))
        _ = machine.opened(0, peerLimit: nil, until: .max)
        _ = machine.ended(0, isReset: false, now: 1)
        for number in 0..<UInt64(3 * SharedConnections.maximumResets) {
            #expect(machine.place(on: 0) == .open(0))
            _ = machine.ended(0, isReset: true, now: number * SharedConnections.resetInterval)
        }
        #expect(machine.phase(of: 0) == .open)
    }

    @Test func `a connection is replaced long before its stream identifiers end`() {
        var machine = machine(limit: 1, streamsEach: 1)
        #expect(machine.place(on: 0) == .dial(0))
        _ = machine.opened(0, peerLimit: nil, until: .max)
        _ = machine.ended(0, isReset: false, now: 1)
        for _ in 1..<SharedConnections.maximumStreams {
            guard machine.place(on: 0) == .open(0) else { break }
            _ = machine.ended(0, isReset: false, now: 1)
        }
        #expect(machine.phase(of: 0) == .draining)
    }

    @Test func `connections retire by age and by idleness`() {
        var machine = machine(limit: 3, streamsEach: 1)
        for id in 0..<3 {
            #expect(machine.place(on: 0) == .dial(id))
            _ = machine.opened(id, peerLimit: nil, until: id == 0 ? 100 : 1_000)
        }
        _ = machine.ended(1, isReset: false, now: 40)
        _ = machine.ended(2, isReset: false, now: 60)
        #expect(machine.expired(now: 99, idleSince: 50) == [1])
        #expect(machine.expired(now: 100, idleSince: 0) == [0])
    }

    @Test func `without room at a server, a connection to another one is used`() {
        var machine = machine(limit: 1, streamsEach: 2)
        #expect(machine.place(on: 0) == .dial(0))
        #expect(machine.place(on: 1) == .join(0))
        #expect(machine.unwanted { $0 != 0 } == [0])
    }
}
