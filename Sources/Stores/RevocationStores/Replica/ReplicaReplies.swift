import Redis
import Revocation

/// Parses replies without assumptions about their form.
extension ReplicaReply {
    /// Parses the reply to `command`. An error or a reply of the wrong form is `.refused`.
    ///
    /// - Parameters:
    ///   - names: Memory for decoding.
    ///   - keyspace: The place of the keys in a cluster.
    init(
        _ reply: RedisReply, to command: ReplicaCommand, names: inout [UInt8], in keyspace: ClusterKeyspace? = nil
    ) {
        if let error = reply.serverError {
            self = Self.refusal(error, of: command)
            return
        }
        let checked: ReplicaReply? =
            switch command {
            case .identity: ReplicaIdentity.read(reply)
            case .information: ReplicaStreamInformation(reply).map { .information($0) }
            case .changes: [ReplicaEntry](reading: reply).map { .changes($0) }
            case .slice: ReplicaSlice(reply, names: &names, prefix: keyspace?.prefix ?? []).map { .slice($0) }
            case .slot:
                keyspace.flatMap { ClusterSlotState(reply, of: $0.slot) }.map { .slot(isComplete: $0 == .complete) }
            case .record(let key): RecordWord(reply, isSession: key.isSession).map { .record($0) }
            }
        self = checked ?? .refused(.otherShape(command))
    }

    private static func refusal(_ error: RedisServerError, of command: ReplicaCommand) -> ReplicaReply {
        switch (command, error.code) {
        case (.record, "WRONGTYPE"): .record(.faulty)
        case (.information, "ERR") where error.message == "no such key": .information(nil)
        // The command is denied or renamed: the identity is unknown.
        case (.identity, "NOPERM"), (.identity, "ERR"): .identity(nil)
        case (.information, "WRONGTYPE"), (.changes, "WRONGTYPE"):
            .refused(ReplicaFault(kind: "\(command.name) WRONGTYPE", message: "\(RedisKeys.changes) is not a stream"))
        // The text may repeat the command, and so a uid, and readiness is public.
        case (.record, _): .refused(ReplicaFault(kind: "HMGET \(error.code)", message: "HMGET: \(error.code)"))
        default: .refused(ReplicaFault(kind: "\(command.name) \(error.code)", message: error.description))
        }
    }
}

extension ReplicaIdentity {
    /// `nil` for a reply of the wrong form. A server that does not report its ids has the identity `nil`.
    fileprivate static func read(_ reply: RedisReply) -> ReplicaReply? {
        guard reply.kind == .string else { return nil }
        let lines = reply.bytes.split(whereSeparator: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") })
        func value(_ name: String) -> [UInt8]? {
            lines.first { $0.starts(with: name.utf8) }.map { Array($0.dropFirst(name.utf8.count)) }
        }
        guard let process = value("run_id:"), let history = value("master_replid:") else { return .identity(nil) }
        let role = value("role:")
        return .identity(
            ReplicaIdentity(names: [process, history], isMaster: role == nil || role == Array("master".utf8)))
    }
}

extension ReplicaStreamInformation {
    fileprivate init?(_ reply: RedisReply) {
        guard reply.kind == .array, reply.count.isMultiple(of: 2) else { return nil }
        var last: ReplicaStreamID?
        var name: RedisReply?
        for element in reply.elements {
            guard let label = name else {
                name = element
                continue
            }
            name = nil
            if label.equals("last-generated-id") { last = ReplicaStreamID(element) }
            if label.equals("length") { length = element.decimal.flatMap { UInt64(exactly: $0) } }
            if label.equals("entries-added") { added = element.decimal.flatMap { UInt64(exactly: $0) } }
            if label.equals("first-entry") { first = element.kind == .array ? ReplicaStreamID(element[0]) : nil }
        }
        guard let last else { return nil }
        self.last = last
    }
}

extension ReplicaStreamID {
    fileprivate init?(_ reply: RedisReply) {
        guard reply.kind == .string else { return nil }
        self.init(parsing: reply.bytes)
    }
}

extension [ReplicaEntry] {
    /// Parses the entries of the only stream. A null reply has no entries.
    fileprivate init?(reading reply: RedisReply) {
        self = []
        if reply.isNull { return }
        guard reply.kind == .array, reply.count == 1, reply[0].kind == .array, reply[0].count == 2 else { return nil }
        let entries = reply[0][1]
        guard entries.kind == .array else { return nil }
        reserveCapacity(entries.count)
        for element in entries.elements {
            guard let entry = ReplicaEntry(element) else { return nil }
            append(entry)
        }
    }
}

extension ReplicaEntry {
    fileprivate init?(_ reply: RedisReply) {
        guard reply.kind == .array, reply.count == 2, let id = ReplicaStreamID(reply[0]) else { return nil }
        guard reply[1].kind == .array else { return nil }
        // Further fields are only counted.
        fields = reply[1].elements.prefix(2 * Self.maximumPairs + 1).map { [UInt8]($0.bytes) }
        self.id = id
    }
}

extension ReplicaSlice {
    /// - Parameter prefix: The prefix of the keys in a cluster.
    fileprivate init?(_ reply: RedisReply, names: inout [UInt8], prefix: [UInt8]) {
        guard reply.kind == .array, reply.count == 2, let cursor = UInt64(decimal: reply[0].bytes),
            reply[1].kind == .array
        else { return nil }
        self.cursor = cursor
        keys.reserveCapacity(reply[1].count)
        for element in reply[1].elements {
            guard element.kind == .string else { return nil }
            guard element.bytes.starts(with: prefix) else { continue }
            take(UnsafeRawBufferPointer(rebasing: element.bytes.dropFirst(prefix.count)), names: &names)
        }
    }

    private mutating func take(_ key: UnsafeRawBufferPointer, names: inout [UInt8]) {
        if let key = ReplicaKey(parsing: key, names: &names) { return keys.append(key) }
        // The pattern also matches unrelated keys.
        guard key.starts(with: "gatehouse:user:".utf8) || key.starts(with: "gatehouse:session:".utf8) else { return }
        faultyKeys.append(Array(key.prefix(RedisRecordKey.maximumNames)))
    }
}

extension RecordWord {
    /// Parses the reply to `HMGET` as a lookup of a request does. `nil` for a reply of the wrong form.
    fileprivate init?(_ reply: RedisReply, isSession: Bool) {
        let count = isSession ? StoredSession.redisFields.count : StoredUser.redisFields.count
        guard let fields = (try? RedisRecord.Fields(reply, count: count)) ?? nil else { return nil }
        self = isSession ? Self.kept(StoredSession(fields)) : StoredUser(fields).word
    }

    /// Keeps only revoked sessions. Sign-in times are looked up in the store if a request needs them.
    private static func kept(_ session: StoredSession) -> RecordWord {
        session.record.map { RecordWord(shownOf: $0) } ?? .faulty
    }

    /// Creates the view's record of a session.
    init(shownOf session: SessionRecord) {
        self = session.revoked ? RecordWord(SessionRecord(revoked: true)) : .none
    }
}
