import GatewayCore

@testable import Revocation
@testable import RevocationStores
@testable import StoreFixtures

/// A replica, its server, writers, and faults between them, one step at a time.
struct ReplicaModel {
    /// A change whose hash was written and whose entry was not.
    private struct Writing {
        let key: ReplicaKey
        let fields: [String]
        let version: Int
    }

    /// The values of one record in the order of their writes, with the times of their acknowledgements.
    private struct History {
        var values: [(word: RecordWord, acknowledged: UInt64?)] = [(.none, 0)]
    }

    static let uids = (0..<12).map { "user\($0)" }

    var random: ReplicaModelRandom
    var machine: ReplicaMachine
    private(set) var server = ReplicaModelServer()
    private(set) var table: [ReplicaKey: RecordWord] = [:]
    private(set) var problems: [String] = []
    private(set) var confirmedAt: UInt64?
    private(set) var confirmations = 0
    private var now: UInt64 = 1_000_000_000_000
    private var marked: Set<ReplicaKey> = []
    private var commands: [ReplicaCommand] = []
    private var replies: [ReplicaReply] = []
    private var blockedSince: UInt64?
    private var isConnected = false
    private var writings: [Writing] = []
    private var histories: [ReplicaKey: History] = [:]
    private var snapshots: [ReplicaModelServer] = []
    /// The number of the next responses that belong to a forgotten round.
    private var stale = 0

    init(seed: UInt64, timing: ReplicaTiming, bounds: ReplicaBounds) {
        random = ReplicaModelRandom(seed)
        machine = ReplicaMachine(timing: timing, bounds: bounds, seed: seed)
        server.add(["link", "l", "uid", "u"], now: now)
        for uid in Self.uids.prefix(5) { begin(uid) }
        while !writings.isEmpty { finish() }
        snapshots = [server]
    }

    // MARK: - Time and the connection

    mutating func advance(_ nanoseconds: UInt64) {
        now += nanoseconds
        if let end = machine.deadline, now >= end { handle(.tick) }
    }

    mutating func connect() {
        guard !isConnected else { return }
        isConnected = true
        handle(.connected)
    }

    mutating func loseConnection() {
        guard isConnected else { return }
        isConnected = false
        (commands, replies, blockedSince, stale) = ([], [], nil, 0)
        handle(.lost)
    }

    /// Executes the next command unless it waits for an entry.
    mutating func execute() {
        guard let command = commands.first else { return }
        if let answer = server.answer(command, sliceSize: 3) { return reply(answer) }
        guard case .changes(_, _, let block?) = command else { return }
        let since = blockedSince ?? now
        blockedSince = since
        if now - since >= block * 1_000_000 { reply(.changes([])) }
    }

    mutating func refuse() {
        if !commands.isEmpty { reply(.refused(ReplicaFault(kind: "model", message: ""))) }
    }

    private mutating func reply(_ answer: ReplicaReply) {
        commands.removeFirst()
        blockedSince = nil
        replies.append(answer)
    }

    mutating func deliver() {
        guard !replies.isEmpty else { return }
        let answer = replies.removeFirst()
        if stale > 0 { stale -= 1 } else { handle(.replied(answer)) }
    }

    // MARK: - Writers

    /// Writes a record without its entry.
    mutating func begin(_ uid: String) {
        let isSession = random.isOnce(in: 4)
        let key = isSession ? ReplicaKey(user: uid, session: "s") : ReplicaKey(user: uid)
        guard let key else { return }
        let word =
            random.isOnce(in: 4)
            ? RecordWord.none : RecordWord(time: UnixTime(Int64(random.below(1000))), flag: isSession)
        server.set(key, word)
        histories[key, default: History()].values.append((word, nil))
        let fields = ["uid", uid] + (isSession ? ["session", "s"] : ["valid_since", "1"])
        writings.append(Writing(key: key, fields: fields, version: (histories[key]?.values.count ?? 1) - 1))
    }

    /// Adds the entry of a record that was written, and acknowledges it.
    mutating func finish() {
        guard !writings.isEmpty else { return }
        let writing = writings.remove(at: random.below(writings.count))
        server.add(writing.fields, now: now)
        histories[writing.key]?.values[writing.version].acknowledged = now
    }

    mutating func finishAll() {
        while !writings.isEmpty { finish() }
    }

    // MARK: - Faults

    mutating func trim() { server.trim(keeping: random.below(4)) }

    mutating func removeEntry() {
        if !server.entries.isEmpty { server.removeEntry(random.below(server.entries.count)) }
    }

    /// Deletes the stream and writes to it again in another millisecond. An empty stream that stays empty, or a stream
    /// that issues the same IDs again, is indistinguishable from an unchanged one. The large count prevents that unread
    /// entries compensate the lower count by chance.
    mutating func deleteStream() {
        now += 1_000_000
        server.deleteStream(havingAdded: UInt64(1000 + random.below(1_000_000)))
        server.add(["link", "l", "uid", "u"], now: now)
    }

    mutating func snapshot() {
        snapshots = Array((snapshots + [server]).suffix(3))
    }

    /// Another server takes over without the last writes.
    mutating func failOver() {
        loseConnection()
        let before = server
        server = snapshots[random.below(snapshots.count)]
        server.process = before.process &+ 1
        server.clockOffset = Int64(random.below(200)) - 100
        snapshots = [server]
        for key in Set(before.records.keys).union(server.records.keys) {
            let word = server.records[key] ?? .none
            if word != before.records[key] ?? .none { histories[key, default: History()].values.append((word, now)) }
        }
    }

    // MARK: - The replica

    private mutating func handle(_ event: ReplicaMachine.Event) {
        var actions: [ReplicaMachine.Action] = []
        machine.handle(event, now: now, into: &actions)
        for action in actions { perform(action) }
    }

    private mutating func perform(_ action: ReplicaMachine.Action) {
        switch action {
        case .send(let sent):
            if !isConnected { problems.append("sent without a connection") }
            commands += sent
        case .forget: stale = replies.count + commands.count
        case .set(let key, let word, _):
            table[key] = word == .none ? nil : word
            marked.insert(key)
        case .beginReread: marked = []
        case .sweep: table = table.filter { marked.contains($0.key) }
        case .confirm(let time): confirm(time)
        case .linkChanged, .log, .historyWentBack, .discardRecords: break
        }
    }

    private mutating func confirm(_ time: UInt64) {
        confirmations += 1
        if time < confirmedAt ?? 0 { problems.append("confirmed an earlier time than before") }
        if time > now { problems.append("confirmed a future time") }
        confirmedAt = max(confirmedAt ?? 0, time)
        for (key, history) in histories {
            let first = history.values.lastIndex { ($0.acknowledged ?? .max) < time } ?? 0
            let word = table[key] ?? .none
            if !history.values[first...].contains(where: { $0.word == word }) {
                problems.append("confirmed \(time) at \(now) while \(key) lacks acknowledged writes")
            }
        }
    }

    /// The age of the table. `nil` before the first confirmation.
    var age: UInt64? { confirmedAt.map { now - $0 } }
}

/// SplitMix64.
struct ReplicaModelRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    mutating func isOnce(in count: Int) -> Bool { below(count) == 0 }
}
