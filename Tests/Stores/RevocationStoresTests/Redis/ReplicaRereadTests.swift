import Testing

@testable import RevocationStores

/// Periodic and required reads of all records.
@Suite struct ReplicaRereadTests {
    let information = ReplicaStreamInformation.at(10, added: 4)

    /// A machine at the time of its periodic read.
    func due() -> ReplicaScript {
        var script = ReplicaScript.following(information)
        script.wait(.seconds(3600))
        script.reply(.changes([]))
        return script
    }

    @Test func `all records are read again every hour`() {
        let script = due()
        #expect(script.events.contains(.rereadStarted(.due)))
        #expect(script.pending.first == .slice(cursor: 0))
        #expect(script.gaps == [])
    }

    @Test func `the table is confirmed between the slices`() {
        var script = due()
        for number in 1...50 {
            let confirmations = script.confirmed.count
            script.wait(.milliseconds(300))
            for command in script.pending {
                switch command {
                case .slice: script.reply(.slice(ReplicaSlice(cursor: UInt64(number))))
                case .information: script.reply(.information(information))
                default: script.reply(.changes([]))
                }
            }
            #expect(script.confirmed.count >= confirmations)
        }
        #expect(script.sweeps == 1)
        #expect(script.now - (script.confirmed.last ?? 0) < 1_000_000_000)
    }

    @Test func `slices of a periodic read have pauses between them`() {
        var script = due()
        script.reply(.slice(ReplicaSlice(cursor: 5)), .information(information), .changes([]))
        #expect(script.pending == [.changes(after: .at(10), count: 1000, block: 20)])
        script.wait(.milliseconds(20))
        script.reply(.changes([]))
        #expect(script.pending.first == .slice(cursor: 5))
    }

    @Test func `an entry between slices is applied at once`() throws {
        let ann = ReplicaKey.user("ann")
        var script = due()
        script.reply(.slice(ReplicaSlice(cursor: 5)), .information(information), .changes([]))
        script.reply(.changes([.user("ann", at: 11)]))
        #expect(script.pending.first == .record(ann))
    }

    @Test func `slices of a required read follow without pauses`() {
        var script = ReplicaScript.connected(information)
        script.reply(.slice(ReplicaSlice(cursor: 5)), .information(information), .changes([]))
        #expect(script.pending == [.slice(cursor: 5), .changes(after: .at(10), count: 1000, block: nil)])
    }

    @Test func `a long slice is read in parts`() {
        var bounds = ReplicaBounds()
        bounds.records = 2
        let keys = (1...5).map { ReplicaKey.user("user\($0)") }
        var script = ReplicaScript.connected(information, bounds: bounds)
        script.reply(.slice(ReplicaSlice(cursor: 5, keys: keys)), .information(information), .changes([]))
        var parts: [Int] = []
        while script.sweeps == 0, parts.count < 5 {
            parts.append(script.pending.filter { if case .record = $0 { true } else { false } }.count)
            script.replyToRound(information)
        }
        // The records are swept after a comparison that follows the last of them.
        #expect(parts == [2, 2, 1, 0])
        #expect(script.records.map(\.key) == keys)
    }

    @Test func `a lost connection starts the read again`() {
        var script = due()
        script.reply(.slice(ReplicaSlice(cursor: 5)), .information(information), .changes([]))
        script.reconnect(.information(information))
        #expect(script.pending.contains(.slice(cursor: 0)))
        #expect(script.rereads == 3)
        #expect(script.sweeps == 1)
    }

    /// The server may have lost its data during the reading, so that a missing record did not expire.
    @Test func `records are not swept before the stream is compared after the reading`() {
        var script = ReplicaScript.connected(information)
        script.reply(.slice(ReplicaSlice(cursor: 0)), .information(information), .changes([]))
        #expect(script.sweeps == 0)
        script.reply(.information(.absent), .changes([]))
        #expect(script.sweeps == 0)
        #expect(script.regressions == 1)
        #expect(script.gaps == [.wentBack])
    }

    /// Without a complete read the machine confirms nothing, even without a gap.
    @Test func `an interrupted first read is not complete`() {
        var script = ReplicaScript.connected(information)
        script.reply(.slice(ReplicaSlice(cursor: 5)))
        script.reconnect(.information(information))
        #expect(script.confirmed.isEmpty)
        script.replyToRound(information)
        script.replyToRound(information)
        #expect(script.confirmed.count == 1)
        #expect(script.sweeps == 1)
    }

    @Test func `a gap during a read starts another one`() {
        var script = due()
        script.reply(.slice(ReplicaSlice(cursor: 5)), .information(.at(10, added: 9)), .changes([]))
        #expect(script.gaps == [.countDiffers])
        #expect(script.pending.contains(.slice(cursor: 0)))
    }

    @Test func `malformed keys are counted and logged once`() {
        var bounds = ReplicaBounds()
        bounds.logged = 3
        var script = ReplicaScript.connected(information, bounds: bounds)
        let faulty = (0..<10).map { Array("gatehouse:user:\($0)".utf8) }
        script.reply(
            .slice(ReplicaSlice(cursor: 0, faultyKeys: faulty)), .information(information), .changes([]))
        #expect(script.machine.counts.faultyKeys == 10)
        #expect(script.events.filter { if case .faultyKey = $0 { true } else { false } }.count == 3)
    }

    // MARK: - Cluster

    /// A machine in a cluster that begins its first reading.
    private func first() -> ReplicaScript {
        var script = ReplicaScript(isOfCluster: true)
        script.handle(.connected)
        script.reply(.identity(ReplicaScript.server), .information(information))
        return script
    }

    @Test func `in a cluster the slot is checked before and after the slices`() {
        var script = first()
        #expect(script.pending.prefix(3) == [.slot, .slice(cursor: 0), .slot])
        script.reply(.slot(isComplete: true), .slice(ReplicaSlice(cursor: 5)), .slot(isComplete: true))
        script.reply(.information(information), .changes([]))
        #expect(script.pending.prefix(2) == [.slice(cursor: 5), .slot])
        #expect(script.confirmed == [])
        script.replyToRound(information)
        script.replyToRound(information)
        #expect(script.confirmed.count == 1)
    }

    @Test(arguments: [0, 1])
    func `a reading of a slot that is being moved starts again, and entries are followed meanwhile`(check: Int) {
        var script = first()
        script.reply(.slot(isComplete: check != 0))
        script.reply(.slice(ReplicaSlice(cursor: 0, keys: [.user("bob")])), .slot(isComplete: check != 1))
        script.reply(.information(information), .changes([]))
        #expect(script.pending == [.changes(after: .at(10), count: 1000, block: 500)])
        #expect(script.confirmed == [])
        #expect(script.machine.counts.lastFault == .slotMoves)
        script.wait(.milliseconds(500))
        script.reply(.changes([]))
        #expect(script.pending.prefix(3) == [.slot, .slice(cursor: 0), .slot])
        script.replyToRound(information)
        script.replyToRound(information)
        #expect(script.confirmed.count == 1)
        #expect(script.machine.counts.lastFault == nil)
        // The keys of the incomplete reading were not used.
        #expect(script.records.isEmpty)
    }
}
