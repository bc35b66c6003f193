import GatewayCore
import Revocation

/// The rounds of commands and their replies.
extension ReplicaMachine {
    /// Requests the server's identity and the state of the stream, to check that it is the stream that was followed.
    mutating func compare(_ now: UInt64, _ actions: inout [Action]) {
        phase = .comparing
        check.query(now)
        send([.identity, .information], hints: [], now, &actions)
    }

    mutating func replied(_ reply: ReplicaReply, _ now: UInt64, _ actions: inout [Action]) {
        guard let (command, hint) = round.next else { return }
        if case .refused(let fault) = reply { return rest(fault, now, &actions) }
        guard reply.fits(command) else { return rest(.otherShape(command), now, &actions) }
        round.advance()
        use(reply, to: command, hint, now, &actions)
        if round.isOver { finishRound(now, &actions) }
    }

    private mutating func use(
        _ reply: ReplicaReply, to command: ReplicaCommand, _ hint: ReplicaHints.Hint?, _ now: UInt64,
        _ actions: inout [Action]
    ) {
        switch (command, reply) {
        case (.record(let key), .record(let word)): read(key, word, hint, &actions)
        case (.slice, .slice(let slice)): take(slice, &actions)
        case (.slot, .slot(let isComplete)): if !isComplete { postponeReading(now, &actions) }
        case (.identity, .identity(let identity)): received(identity, now, &actions)
        case (.information, .information(let information)): received(information ?? .absent, now, &actions)
        case (.changes, .changes(let entries)):
            if let comparedInformation {
                compareHistory(comparedInformation, entries.first?.id, now, &actions)
            } else if !round.readIsVoid {
                follow(entries, now, &actions)
            }
        default: break
        }
    }

    private mutating func received(_ identity: ReplicaIdentity?, _ now: UInt64, _ actions: inout [Action]) {
        if identity?.isMaster == false { return rest(.notMaster, now, &actions) }
        server = identity
        if identity == nil { actions.append(.log(.unknownServer)) }
    }

    private mutating func received(
        _ information: ReplicaStreamInformation, _ now: UInt64, _ actions: inout [Action]
    ) {
        guard phase == .comparing else { return compare(information, now, &actions) }
        guard let position, server == nil || server != followedServer, let before = position.id.predecessor else {
            return resume(information, now, &actions)
        }
        comparedInformation = information
        send([.changes(after: before, count: 1, block: nil)], hints: [], now, &actions)
    }

    /// Handles the end of a round.
    private mutating func finishRound(_ now: UInt64, _ actions: inout [Action]) {
        guard phase == .following else { return }
        finishSlice(now, &actions)
        if reread == nil, now >= nextReread || isRereadRequested { beginReread(.due, now, &actions) }
        planRound(now, &actions)
    }

    private mutating func planRound(_ now: UInt64, _ actions: inout [Action]) {
        let named = hints.take(bounds.hints)
        var commands = named.map { ReplicaCommand.record($0.key) }
        commands += takeSlice(now)
        if hints.count == 0, let position {
            // `XINFO` precedes `XREAD`, so that the entries confirm its result.
            if check.isDue(now, every: timing.check.nanoseconds) {
                check.query(now)
                commands.append(.information)
            }
            let block = commands.isEmpty ? blockTime(now) : nil
            commands.append(.changes(after: position.id, count: bounds.entries, block: block))
        }
        send(commands, hints: named, now, &actions)
    }

    /// Returns the maximum wait of the next read, in milliseconds.
    private func blockTime(_ now: UInt64) -> UInt64 {
        let longest = max(timing.block.nanoseconds / 1_000_000, 1)
        guard let reread else { return longest }
        let next = reread.nextSlice ?? now
        return min(max(next > now ? (next - now) / 1_000_000 : 0, 1), longest)
    }

    private mutating func send(
        _ commands: [ReplicaCommand], hints: [ReplicaHints.Hint], _ now: UInt64, _ actions: inout [Action]
    ) {
        round = ReplicaRound(commands, hints: hints, at: now)
        actions.append(.send(commands))
    }

    private mutating func read(
        _ key: ReplicaKey, _ word: RecordWord, _ hint: ReplicaHints.Hint?, _ actions: inout [Action]
    ) {
        actions.append(.set(key, word, changing: hint?.parts ?? []))
        if word == .faulty, mayLog() { actions.append(.log(.faultyRecord(key))) }
        guard hint != nil else { return }
        check.recordRead()
        confirm(&actions)
    }

    /// Confirms the proven time after the records that it depends on were read.
    mutating func confirm(_ actions: inout [Action]) {
        guard let time = check.takeProven() else { return }
        isSaved = false
        recovered(&actions)
        if let end = sweepAfter {
            // This comparison began before the end of the reading.
            guard time >= end else { return check.hasten() }
            sweepAfter = nil
            actions.append(.sweep)
        }
        actions.append(.confirm(at: time))
    }
}
