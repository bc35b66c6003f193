import Logging
import Redis
package import Revocation

/// The queue of changes to write back, in keys of its own. With write-back, a change and its entry are one script on
/// keys of several hash slots.
extension RedisStore: WriteBackQueue {
    /// Acquires or renews the lease, which Redis ends.
    package func pollWriteBacks(
        by holder: String, lease: Int64, limit: Int
    ) async throws(StoreError) -> WriteBackPoll {
        let command = RedisScript.pollWriteBacks.command(
            keys: RedisKeys.writeBack + [RedisKeys.writeBackLease, RedisKeys.writeBackParked],
            [holder, "\(lease * 1000)", "\(limit)"])
        let replies = try await commands.query(command, faulty: Self.faultyQueue())
        guard replies.count == 1, case .array(let fields) = replies[0], fields.count >= 4, fields.count % 2 == 0,
            case .integer(let isHolder) = fields[0], case .integer(let count) = fields[1],
            case .integer(let age) = fields[2], case .integer(let parked) = fields[3]
        else { throw .unexpectedReply() }
        var entries: [WriteBackEntry] = []
        for index in stride(from: 4, to: fields.count, by: 2) {
            if let entry = WriteBackEntry(member: fields[index], version: fields[index + 1]) {
                entries.append(entry)
            } else if case .string(let member) = fields[index] {
                // Written by another program. It would be due forever.
                logger.warning("an invalid entry of the write-back queue was removed")
                _ = try await commands.query(
                    RedisCommand(["ZREM", RedisKeys.writeBack[0], member])
                        + RedisCommand(["ZREM", RedisKeys.writeBack[1], member]))
            }
        }
        return WriteBackPoll(
            isHolder: isHolder == 1, entries: entries, count: Int(clamping: count), age: age < 0 ? nil : age,
            parked: Int(clamping: parked))
    }

    /// Removes an entry, unless its version is another one.
    package func removeWriteBack(_ entry: WriteBackEntry) async throws(StoreError) {
        let command = RedisScript.removeWriteBack.command(
            keys: RedisKeys.writeBack, [entry.member, "\(entry.version)"])
        _ = try await commands.query(command, faulty: Self.faultyQueue())
    }

    /// Makes an entry due later, unless its version is another one.
    package func postponeWriteBack(_ entry: WriteBackEntry, by seconds: Int64) async throws(StoreError) {
        let command = RedisScript.postponeWriteBack.command(
            keys: RedisKeys.writeBack, [entry.member, "\(entry.version)", "\(seconds)"])
        _ = try await commands.query(command, faulty: Self.faultyQueue())
    }

    /// Moves an entry to the set of parked ones, unless its version is another one.
    package func parkWriteBack(_ entry: WriteBackEntry) async throws(StoreError) {
        let limits = ["\(WriteBackSwitch.parkedLimit)", "\(WriteBackSwitch.longestDelay)"]
        let command = RedisScript.parkWriteBack.command(
            keys: RedisKeys.writeBack + [RedisKeys.writeBackParked], [entry.member, "\(entry.version)"] + limits)
        _ = try await commands.query(command, faulty: Self.faultyQueue())
    }

    /// Moves parked entries of these parts and projects back.
    @discardableResult
    package func returnWriteBacks(
        _ parts: [WriteBackPart], of projects: [String]
    ) async throws(StoreError) -> Int {
        let wanted = parts.flatMap { part in projects.map { "\(part.rawValue):\($0)" } }
        let command = RedisScript.returnWriteBacks.command(
            keys: RedisKeys.writeBack + [RedisKeys.writeBackParked], ["\(WriteBackSwitch.returnLimit)"] + wanted)
        let replies = try await commands.query(command, faulty: Self.faultyQueue())
        guard case .integer(let count)? = replies.first else { throw .unexpectedReply() }
        return Int(clamping: count)
    }

    /// Releases the lease, if the caller has it.
    package func releaseWriteBacks(of holder: String) async throws(StoreError) {
        _ = try await commands.query(RedisScript.deleteIfEqual.command(RedisKeys.writeBackLease, [holder]))
    }

    /// Returns the command of a script that changes a part of a user's record and queues the change.
    func queueingCommand(
        _ script: RedisScript, _ uid: UserKey, _ arguments: [String], _ request: WriteBackSwitch.Request
    ) -> RedisCommand {
        script.command(
            keys: [RedisKeys.user(uid)] + RedisKeys.writeBack,
            arguments + ["\(request.limit)"] + request.entries.map(\.member))
    }

    private static func faultyQueue() -> StoreError {
        .faultyRecord(repair: "the keys of the write-back queue have the wrong type; remove them")
    }
}

extension WriteBackEntry {
    /// The name of the entry in the sorted sets.
    fileprivate var member: String { "\(part.rawValue):\(name)" }

    /// Parses an entry. `nil` if it is invalid.
    fileprivate init?(member: RedisValue, version: RedisValue) {
        guard let text = member.text, let end = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let part = WriteBackPart(rawValue: String(text[..<end])), let version = version.text.flatMap({ Int64($0) })
        else { return nil }
        self.init(name: String(text[text.utf8.index(after: end)...]), part: part, version: version)
    }
}
