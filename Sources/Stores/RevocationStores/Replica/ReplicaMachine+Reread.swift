import GatewayCore

/// The readings of everything.
extension ReplicaMachine {
    /// Begins a reading because something is missing. Nothing is confirmed until it ends. The stream is followed from
    /// its current state.
    ///
    /// - Parameter isLost: Whether the history is known to lack entries that were seen.
    mutating func startOver(
        _ information: ReplicaStreamInformation, _ reason: ReplicaReread.Reason, isLost: Bool = false, _ now: UInt64,
        _ actions: inout [Action]
    ) {
        isWhole = false
        if isLost || position?.isAhead(of: information) ?? false {
            actions.append(.historyWentBack)
            hints.forgetWithdrawals()
        } else if isSaved {
            actions.append(.discardRecords)
        }
        position = ReplicaPosition(information)
        followedServer = server
        check.forget()
        // A pending reply follows the old position.
        round.readIsVoid = true
        beginReread(reason, now, &actions)
    }

    mutating func beginReread(_ reason: ReplicaReread.Reason, _ now: UInt64, _ actions: inout [Action]) {
        wantedReread = nil
        isRereadRequested = false
        sweepAfter = nil
        reread = ReplicaReread(reason: reason, nextSlice: now)
        counts.rereads[reason, default: 0] += 1
        faultyKeys = 0
        linesLeft = bounds.logged
        actions.append(.beginReread)
        actions.append(.log(.rereadStarted(reason)))
    }

    /// Returns the next commands of the reading: records of the last slice, and the next slice after all of them were
    /// requested.
    mutating func takeSlice(_ now: UInt64) -> [ReplicaCommand] {
        guard var reread, let next = reread.nextSlice, reread.isUrgent && !reread.isPostponed || now >= next else {
            return []
        }
        let keys = reread.keys.prefix(bounds.records)
        var commands = keys.map { ReplicaCommand.record($0) }
        reread.keys.removeFirst(keys.count)
        if reread.keys.isEmpty, !reread.isScanned {
            // The slot was complete before and after each slice.
            if isOfCluster, reread.cursor == 0 { commands.append(.slot) }
            commands.append(.slice(cursor: reread.cursor))
            if isOfCluster { commands.append(.slot) }
        }
        (reread.nextSlice, reread.isPostponed) = (nil, false)
        self.reread = reread
        return commands
    }

    mutating func take(_ slice: ReplicaSlice, _ actions: inout [Action]) {
        // The slice belongs to the reading that will start again.
        if reread?.isPostponed == true { return }
        reread?.cursor = slice.cursor
        reread?.isScanned = slice.cursor == 0
        reread?.keys += slice.keys
        faultyKeys += slice.faultyKeys.count
        for key in slice.faultyKeys where mayLog() { actions.append(.log(.faultyKey(key))) }
    }

    /// Restarts the reading later, because another server stores some of the records. Entries are followed meanwhile.
    mutating func postponeReading(_ now: UInt64, _ actions: inout [Action]) {
        guard let reason = reread?.reason else { return }
        counts.lastFault = .slotMoves
        if loggedFaults.insert(ReplicaFault.slotMoves.kind).inserted, reread?.isUrgent == true {
            actions.append(.log(.refused(.slotMoves)))
        }
        faultyKeys = 0
        reread = ReplicaReread(
            reason: reason, nextSlice: now &+ timing.slotPause.nanoseconds, isPostponed: true)
    }

    /// Ends the reading after its last records, or schedules the next slice after a pause.
    mutating func finishSlice(_ now: UInt64, _ actions: inout [Action]) {
        guard let reread, reread.nextSlice == nil else { return }
        if reread.isDone { return finish(reread, now, &actions) }
        self.reread?.nextSlice = now &+ timing.pause.nanoseconds
    }

    private mutating func finish(_ finished: ReplicaReread, _ now: UInt64, _ actions: inout [Action]) {
        reread = nil
        isWhole = true
        if counts.lastFault == .slotMoves { counts.lastFault = nil }
        counts.faultyKeys = faultyKeys
        let interval = timing.reread.nanoseconds
        nextReread = now &+ jitter.duration(from: interval - interval / 10, through: interval)
        // A record can be missing because the server lost it during the reading. The next comparison shows that.
        sweepAfter = now
        actions.append(.log(.rereadDone(finished.reason, faultyKeys: faultyKeys)))
        check.hasten()
    }
}
