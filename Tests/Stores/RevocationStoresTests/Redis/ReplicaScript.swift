import GatewayCore
import Revocation

@testable import RevocationStores
@testable import StoreFixtures

/// A machine, a clock that the test advances, and a record of the actions.
struct ReplicaScript {
    var machine: ReplicaMachine
    var now: UInt64 = 1_000_000_000
    /// The commands without a reply.
    private(set) var pending: [ReplicaCommand] = []
    private(set) var confirmed: [UInt64] = []
    private(set) var records: [(key: ReplicaKey, word: RecordWord)] = []
    private(set) var events: [ReplicaEvent] = []
    private(set) var links: [String] = []
    private(set) var rereads = 0
    private(set) var sweeps = 0
    private(set) var changes: [RecordParts] = []
    private(set) var regressions = 0
    private(set) var removals = 0
    private(set) var forgets = 0

    static let server = ReplicaIdentity(names: [[1]], isMaster: true)

    init(
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds(), isOfCluster: Bool = false
    ) {
        machine = ReplicaMachine(timing: timing, bounds: bounds, isOfCluster: isOfCluster, seed: 1)
    }

    /// A connected machine that received the state of the stream.
    static func connected(
        _ information: ReplicaStreamInformation, identity: ReplicaIdentity? = server,
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds()
    ) -> ReplicaScript {
        var script = ReplicaScript(timing: timing, bounds: bounds)
        script.handle(.connected)
        script.reply(.identity(identity), .information(information))
        return script
    }

    /// A machine that has read an empty store and waits for entries.
    static func following(
        _ information: ReplicaStreamInformation, identity: ReplicaIdentity? = server,
        timing: ReplicaTiming = ReplicaTiming(), bounds: ReplicaBounds = ReplicaBounds()
    ) -> ReplicaScript {
        var script = connected(information, identity: identity, timing: timing, bounds: bounds)
        script.replyToRound(information)
        script.replyToRound(information)
        return script
    }

    /// Closes the connection and connects to the server with this identity.
    ///
    /// - Parameter history: The entries of another server that are not before the position.
    mutating func reconnect(
        to identity: ReplicaIdentity? = server, _ reply: ReplicaReply? = nil, history: [ReplicaEntry] = []
    ) {
        handle(.lost)
        handle(.connected)
        self.reply(.identity(identity))
        if let reply { self.reply(reply) }
        if case .changes(_, count: 1, block: nil)? = pending.first { self.reply(.changes(history)) }
    }

    mutating func handle(_ event: ReplicaMachine.Event) {
        var actions: [ReplicaMachine.Action] = []
        machine.handle(event, now: now, into: &actions)
        for action in actions { record(action) }
    }

    private mutating func record(_ action: ReplicaMachine.Action) {
        switch action {
        case .send(let commands): pending = commands
        case .forget: (pending, forgets) = ([], forgets + 1)
        case .set(let key, let word, let parts):
            records.append((key, word))
            changes.append(parts)
        case .historyWentBack: regressions += 1
        case .discardRecords: removals += 1
        case .beginReread: rereads += 1
        case .sweep: sweeps += 1
        case .confirm(let time): confirmed.append(time)
        case .linkChanged(let name): links.append(name)
        case .log(let event): events.append(event)
        }
    }

    /// Replies to the next commands in order.
    mutating func reply(_ replies: ReplicaReply...) {
        for reply in replies {
            if !pending.isEmpty { pending.removeFirst() }
            handle(.replied(reply))
        }
    }

    /// Replies to a complete round of an idle server without keys, entries and records.
    mutating func replyToRound(_ information: ReplicaStreamInformation) {
        for command in pending {
            switch command {
            case .identity: reply(.identity(Self.server))
            case .information: reply(.information(information))
            case .changes: reply(.changes([]))
            case .slice: reply(.slice(ReplicaSlice(cursor: 0)))
            case .slot: reply(.slot(isComplete: true))
            case .record: reply(.record(.none))
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        now += duration.nanoseconds
    }

    var gaps: [ReplicaGap] {
        events.compactMap { if case .rereadStarted(.gap(let gap)) = $0 { gap } else { nil } }
    }
}

extension ReplicaStreamInformation {
    /// A stream to which `added` entries were added. The last one has this ID.
    static func at(_ milliseconds: UInt64, added: UInt64?) -> ReplicaStreamInformation {
        ReplicaStreamInformation(last: .at(milliseconds), added: added, first: .at(1))
    }
}

extension ReplicaStreamID {
    static func at(_ milliseconds: UInt64) -> ReplicaStreamID {
        ReplicaStreamID(milliseconds: milliseconds, sequence: 0)
    }
}

extension ReplicaEntry {
    static func user(_ uid: String, at milliseconds: UInt64) -> ReplicaEntry {
        ReplicaEntry(milliseconds, "uid", uid, "valid_since", "1")
    }

    init(_ milliseconds: UInt64, _ fields: String...) {
        self.init(id: .at(milliseconds), fields: fields.map { Array($0.utf8) })
    }
}

extension ReplicaKey {
    /// The key of a user.
    static func user(_ uid: String) -> ReplicaKey { ReplicaKey(user: uid) }
}

extension ReplicaFault {
    static let model = ReplicaFault(kind: "HMGET ERR", message: "an error of the test")
}
