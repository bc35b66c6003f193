import Revocation

/// Following the stream, and detecting gaps.
extension ReplicaMachine {
    /// Continues after a new connection or an error.
    mutating func resume(_ information: ReplicaStreamInformation, _ now: UInt64, _ actions: inout [Action]) {
        phase = .following
        guard position != nil else { return startOver(information, .first, now, &actions) }
        guard let server, server == followedServer else {
            return follow(.continues, information, now, &actions)
        }
        if let wantedReread { beginReread(wantedReread, now, &actions) }
        compare(information, now, &actions)
    }

    /// Compares the history of another server with the position. `next` is its first entry that is not before it.
    mutating func compareHistory(
        _ information: ReplicaStreamInformation, _ next: ReplicaStreamID?, _ now: UInt64, _ actions: inout [Action]
    ) {
        comparedInformation = nil
        phase = .following
        let continuity = position?.continuity(in: information, next: next) ?? .unknown
        follow(continuity, information, now, &actions)
    }

    /// Follows another server. It may have a record without its entry, so everything is read again.
    private mutating func follow(
        _ continuity: ReplicaContinuity, _ information: ReplicaStreamInformation, _ now: UInt64,
        _ actions: inout [Action]
    ) {
        guard continuity == .continues else {
            return startOver(information, .gap(.otherServer), isLost: continuity == .lost, now, &actions)
        }
        isWhole = false
        followedServer = server
        check.forget()
        beginReread(.gap(.otherServer), now, &actions)
    }

    /// Compares the state of the stream with the entries that were seen.
    mutating func compare(_ information: ReplicaStreamInformation, _ now: UInt64, _ actions: inout [Action]) {
        guard let position else { return }
        check.wait(for: information)
        if information.last < position.id { return startOver(information, .gap(.wentBack), now, &actions) }
        if information.added == nil {
            guard Self.showsAll(information, since: position.shown) else {
                return startOver(information, .gap(.missing), now, &actions)
            }
            self.position?.shown = position.id
        }
        proceed(now, &actions)
    }

    /// Returns whether the remaining entries prove that none after `id` is missing, for a Redis that does not count
    /// entries. If earlier entries were trimmed, the proof can fail without a gap, and everything is read again.
    private static func showsAll(_ information: ReplicaStreamInformation, since id: ReplicaStreamID) -> Bool {
        if information.last <= id { return true }
        guard let first = information.first else { return false }
        return first <= id
    }

    /// Compares the count of entries if the replica has reached the reported id. Otherwise the entries up to it follow.
    private mutating func proceed(_ now: UInt64, _ actions: inout [Action]) {
        guard let information = check.pending?.information, position?.id == information.last else { return }
        if let seen = position?.added, let added = information.added, seen != added {
            return startOver(information, .gap(.countDiffers), now, &actions)
        }
        position?.added = information.added
        check.prove(afterRecords: isWhole ? hints.count : nil)
        confirm(&actions)
    }

    mutating func follow(_ entries: [ReplicaEntry], _ now: UInt64, _ actions: inout [Action]) {
        if entries.isEmpty, let information = check.pending?.information {
            return startOver(information, .gap(.missing), now, &actions)
        }
        // Otherwise the read would be repeated in a tight loop.
        if entries.isEmpty, round.wasNotWaitedFor(now) { return rest(.noWait, now, &actions) }
        for entry in entries {
            guard let position, entry.id > position.id else { return rest(.otherOrder, now, &actions) }
            if let information = check.pending?.information, entry.id > information.last {
                return startOver(information, .gap(.missing), now, &actions)
            }
            self.position?.advance(to: entry)
            record(entry, &actions)
            proceed(now, &actions)
            if round.readIsVoid { return }
        }
    }

    private mutating func record(_ entry: ReplicaEntry, _ actions: inout [Action]) {
        counts.entries += 1
        let named = entry.hints
        for key in named.keys { hints.add(.init(key: key, parts: key.isSession ? .all : named.parts)) }
        for name in named.links { actions.append(.linkChanged(name)) }
        guard !named.isUnderstood else { return }
        counts.strangeEntries += 1
        if mayLog() { actions.append(.log(.strangeEntry(entry.id))) }
    }
}
