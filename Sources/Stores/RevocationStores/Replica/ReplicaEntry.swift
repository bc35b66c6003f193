import GatewayCore
import Revocation

/// An entry of the stream of changes: names and values, one after the other.
struct ReplicaEntry: Sendable, Equatable {
    let id: ReplicaStreamID
    let fields: [[UInt8]]

    /// What an entry asks for.
    struct Hints: Sendable, Equatable {
        /// The records that changed.
        var keys: [ReplicaKey] = []
        /// What of a user's record the entry takes back: only that may become weaker than the view has it. Of a session's it is everything.
        var parts: RecordParts = []
        /// The links that changed, by their names.
        var links: [String] = []
        /// Whether the entry is one that the contract knows.
        var isUnderstood = false
    }

    /// So many fields of an entry are looked at; none that the contract knows has more than three.
    static let maximumPairs = 16

    /// Which records to read again. What an entry says of them does not count: two writers' entries may come in another order than their records.
    /// Its values only tell whether something is taken back, so that a record that Redis lost in part is not taken for what somebody wrote.
    ///
    /// An entry that is not understood but names a uid asks for that user's record.
    var hints: Hints {
        let parts = Parts(fields)
        var hints = Hints(parts: parts.takenBack, links: parts.links, isUnderstood: parts.isUnderstood)
        if parts.isOnlyLink { return hints }
        for uid in parts.uids { hints.add(uid, of: parts.tenants.first, parts) }
        return hints
    }
}

extension ReplicaEntry.Hints {
    fileprivate mutating func add(_ uid: [UInt8], of tenant: [UInt8]?, _ parts: Parts) {
        guard let named = UserKey(uid: uid, tenant: tenant) else { return isUnderstood = false }
        let sessions = parts.sessions.compactMap { ReplicaKey(named, session: $0) }
        if sessions.count < parts.sessions.count { isUnderstood = false }
        keys += sessions
        guard parts.namesUser || !isUnderstood else { return }
        keys.append(ReplicaKey(named))
    }
}

extension UserKey {
    /// The user that an entry names; `nil` for names that no user can have.
    fileprivate init?(uid: [UInt8], tenant: [UInt8]?) {
        guard let uid = String(validating: uid, as: UTF8.self) else { return nil }
        self.init(uid: uid, tenant: tenant.map { String(decoding: $0, as: UTF8.self) })
        guard (try? StoreBounds.check(user: self)) != nil else { return nil }
    }
}

/// The fields of an entry by their names.
private struct Parts {
    private(set) var uids: [[UInt8]] = []
    private(set) var tenants: [[UInt8]] = []
    private(set) var sessions: [[UInt8]] = []
    /// Whether a user's own record changed.
    private(set) var namesUser = false
    /// What of it is revoked or disabled no more.
    private(set) var takenBack: RecordParts = []
    private(set) var links: [String] = []
    private let isShaped: Bool

    init(_ fields: [[UInt8]]) {
        isShaped = fields.count.isMultiple(of: 2) && fields.count <= 2 * ReplicaEntry.maximumPairs
        for index in stride(from: 0, to: min(fields.count - 1, 2 * ReplicaEntry.maximumPairs), by: 2) {
            read(String(decoding: fields[index], as: UTF8.self), fields[index + 1])
        }
    }

    private mutating func read(_ name: String, _ value: [UInt8]) {
        switch name {
        case "uid": uids.append(value)
        case "tenant": tenants.append(value)
        case "session": sessions.append(value)
        case "valid_since":
            namesUser = true
            // Nothing was made before 1970, so 0 revokes nothing.
            let time = value.withUnsafeBytes { StoredField<UnixTime?>(time: $0) }
            if time == .faulty || time == .valid(0) { takenBack.insert(.time) }
        case "disabled":
            namesUser = true
            if !value.elementsEqual("1".utf8) { takenBack.insert(.flag) }
        case "link": links.append(String(decoding: value, as: UTF8.self))
        default: break
        }
    }

    var isOnlyLink: Bool { isUnderstood && !links.isEmpty && !namesUser && sessions.isEmpty }

    var isUnderstood: Bool {
        isShaped && uids.count == 1 && tenants.count <= 1 && sessions.count <= 1 && links.count <= 1
            && (namesUser || links.count == 1 || sessions.count == 1)
    }
}

/// The id of an entry of a Redis stream: milliseconds and a number within them.
struct ReplicaStreamID: Sendable, Hashable, Comparable {
    let milliseconds: UInt64
    let sequence: UInt64

    /// Before every entry; the last id of a stream that is not there.
    static let zero = ReplicaStreamID(milliseconds: 0, sequence: 0)

    static func < (one: ReplicaStreamID, other: ReplicaStreamID) -> Bool {
        (one.milliseconds, one.sequence) < (other.milliseconds, other.sequence)
    }
}

extension ReplicaStreamID: CustomStringConvertible {
    /// As Redis spells it.
    var description: String { "\(milliseconds)-\(sequence)" }

    /// Reads an id as Redis spells it; nil for anything else.
    init?(parsing bytes: some Collection<UInt8>) {
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")),
            let milliseconds = UInt64(decimal: bytes[..<dash]),
            let sequence = UInt64(decimal: bytes[bytes.index(after: dash)...])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }
}

extension UInt64 {
    /// Reads digits, and nothing but digits, without a zero before others; nil for anything else and what is too large.
    init?(decimal bytes: some Collection<UInt8>) {
        guard let first = bytes.first, first != UInt8(ascii: "0") || bytes.count == 1 else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isAlso) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            if isTooLarge || isAlso { return nil }
            value = sum
        }
        self = value
    }
}
