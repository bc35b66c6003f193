import Revocation
import Testing

@testable import RevocationStores

/// Errors, and malformed responses.
@Suite struct ReplicaFaultTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    /// A machine that waits for the response to this command.
    static func waiting(for name: String) -> ReplicaScript {
        let information = ReplicaStreamInformation.at(10, added: 4)
        var script = ReplicaScript()
        script.handle(.connected)
        if name == "INFO" { return script }
        script.reply(.identity(ReplicaScript.server))
        if name == "XINFO" { return script }
        script.reply(.information(information))
        if name == "SCAN" { return script }
        script.replyToRound(information)
        script.replyToRound(information)
        if name == "XREAD" { return script }
        script.wait(.seconds(1))
        script.reply(.changes([.user("ann", at: 11)]))
        return script
    }

    @Test(arguments: ["INFO", "XINFO", "SCAN", "XREAD", "HMGET"])
    func `after an error there is a pause, and nothing is confirmed`(_ name: String) throws {
        var script = Self.waiting(for: name)
        #expect(script.pending.first?.name == name)
        let confirmations = script.confirmed.count
        let fault = ReplicaFault(kind: "\(name) NOPERM", message: "no")
        script.handle(.replied(.refused(fault)))
        #expect(script.forgets == (name == "XREAD" ? 0 : 1) || script.pending.isEmpty)
        #expect(script.events.last == .refused(fault))
        #expect(script.machine.counts.lastFault == fault)
        let deadline = try #require(script.machine.deadline)
        #expect(deadline > script.now)
        #expect(deadline - script.now <= 100_000_000)
        script.now = deadline
        script.handle(.tick)
        #expect(script.pending == [.identity, .information])
        #expect(script.confirmed.count == confirmations)
    }

    @Test(arguments: ["INFO", "XINFO", "SCAN", "XREAD", "HMGET"])
    func `a response of another type is an error`(_ name: String) {
        var script = Self.waiting(for: name)
        script.handle(.replied(name == "SCAN" ? .record(.none) : .slice(ReplicaSlice(cursor: 0))))
        #expect(script.machine.counts.lastFault?.kind == "\(name) shape")
        #expect(script.machine.deadline != nil)
    }

    @Test func `an error is logged once, and pauses grow up to their bound`() {
        var script = ReplicaScript()
        script.handle(.connected)
        var pauses: [UInt64] = []
        for _ in 0..<12 {
            script.reply(.refused(.model))
            let pause = (script.machine.deadline ?? 0) - script.now
            pauses.append(pause)
            script.now += pause
            script.handle(.tick)
        }
        #expect(script.events.filter { $0 == .refused(.model) }.count == 1)
        #expect(pauses.allSatisfy { $0 <= 5_000_000_000 })
        #expect(pauses.last ?? 0 >= 2_500_000_000)
    }

    @Test func `an error is logged again after a recovery`() {
        var script = ReplicaScript.following(information)
        for _ in 0..<2 {
            script.wait(.seconds(1))
            script.handle(.replied(.refused(.model)))
            script.now = script.machine.deadline ?? 0
            script.handle(.tick)
            script.reply(.identity(ReplicaScript.server), .information(information))
        }
        #expect(script.events.filter { $0 == .refused(.model) }.count == 2)
        #expect(script.events.filter { $0 == .recovered }.count == 2)
        #expect(script.machine.counts.lastFault == nil)
    }

    @Test func `a record is read again after an error`() throws {
        let ann = ReplicaKey.user("ann")
        var script = Self.waiting(for: "HMGET")
        script.handle(.replied(.refused(.model)))
        script.now = script.machine.deadline ?? 0
        script.handle(.tick)
        script.reply(.identity(ReplicaScript.server), .information(.at(11, added: 5)))
        #expect(script.pending.first == .record(ann))
        #expect(script.confirmed.count == 1)
    }

    @Test func `a missing response is an error`() {
        var script = ReplicaScript.following(information)
        script.handle(.failed(.model))
        #expect(script.forgets == 1)
        #expect(script.machine.deadline != nil)
    }

    @Test func `entries in another order are an error`() {
        var script = ReplicaScript.following(information)
        script.reply(.changes([.user("ann", at: 12), .user("ann", at: 11)]))
        #expect(script.machine.counts.lastFault == .otherOrder)
    }

    @Test func `a server that does not block gets a pause`() {
        var script = ReplicaScript.following(information)
        script.wait(.milliseconds(1))
        script.reply(.changes([]))
        #expect(script.machine.counts.lastFault == .noWait)
        #expect(script.pending.isEmpty)
    }

    @Test func `a pause ends with the connection`() {
        var script = ReplicaScript.following(information)
        script.handle(.failed(.model))
        script.handle(.lost)
        #expect(script.machine.deadline == nil)
        script.handle(.tick)
        #expect(script.pending.isEmpty)
    }

    @Test func `a server without an identity is logged`() {
        let script = ReplicaScript.following(information, identity: nil)
        #expect(script.events.contains(.unknownServer))
        #expect(script.confirmed.count == 1)
    }
}
