import GatewayCore
import Revocation

/// An entry of the change stream: names and values, alternating.
struct ReplicaEntry: Sendable, Equatable {
    let id: ReplicaStreamID
    let fields: [[UInt8]]

    /// The work that an entry requires.
    struct Hints: Sendable, Equatable {
        /// The records that changed.
        var keys: [ReplicaKey] = []
        /// The parts of a user's record that the entry withdraws. Only these may become less restrictive in the view.
        /// For a session, all parts may.
        var parts: RecordParts = []
        /// The names of the links that changed.
        var links: [String] = []
        /// Whether the entry is in the contract.
        var isUnderstood = false
    }

    /// The maximum number of fields that are read. Entries of the contract have at most four.
    static let maximumPairs = 16

    /// The records to read again. An entry's values are not applied, since entries of two writers may arrive in
    /// another order than their records. They only show whether something is withdrawn, so that a partly lost record
    /// is not mistaken for a change.
    ///
    /// An unrecognised entry with a uid causes that user's record to be read.
    var hints: Hints {
        let parts = Parts(fields)
        var hints = Hints(parts: parts.takenBack, links: parts.links, isUnderstood: parts.isUnderstood)
        if parts.isOnlyLink { return hints }
        for uid in parts.uids { hints.add(uid, parts) }
        return hints
    }
}

extension ReplicaEntry.Hints {
    fileprivate mutating func add(_ uid: [UInt8], _ parts: Parts) {
        guard let named = UserKey(uid: uid, tenant: parts.tenants.first, project: parts.projects.first) else {
            return isUnderstood = false
        }
        let sessions = parts.sessions.compactMap { ReplicaKey(named, session: $0) }
        if sessions.count < parts.sessions.count { isUnderstood = false }
        keys += sessions
        guard parts.namesUser || !isUnderstood else { return }
        keys.append(ReplicaKey(named))
    }
}

extension UserKey {
    /// `nil` for names that no user can have.
    fileprivate init?(uid: [UInt8], tenant: [UInt8]?, project: [UInt8]?) {
        guard let uid = String(validating: uid, as: UTF8.self) else { return nil }
        self.init(
            uid: uid, tenant: tenant.map { String(decoding: $0, as: UTF8.self) },
            project: project.map { String(decoding: $0, as: UTF8.self) })
        guard (try? StoreBounds.check(user: self)) != nil else { return nil }
    }
}

/// The fields of an entry by name.
private struct Parts {
    private(set) var uids: [[UInt8]] = []
    private(set) var tenants: [[UInt8]] = []
    private(set) var projects: [[UInt8]] = []
    private(set) var sessions: [[UInt8]] = []
    /// Whether the user's record changed.
    private(set) var namesUser = false
    /// The parts of the user's record that are withdrawn.
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
        case "project": projects.append(value)
        case "session": sessions.append(value)
        case "valid_since":
            namesUser = true
            // No credential was issued before 1970, so 0 revokes nothing.
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
        isShaped && uids.count == 1 && tenants.count <= 1 && projects.count <= 1 && sessions.count <= 1
            && links.count <= 1 && (namesUser || links.count == 1 || sessions.count == 1)
    }
}

/// The id of an entry of a Redis stream: milliseconds and a sequence number.
struct ReplicaStreamID: Sendable, Hashable, Comparable {
    let milliseconds: UInt64
    let sequence: UInt64

    /// An id before all entries; the last id of an absent stream.
    static let zero = ReplicaStreamID(milliseconds: 0, sequence: 0)

    static func < (one: ReplicaStreamID, other: ReplicaStreamID) -> Bool {
        (one.milliseconds, one.sequence) < (other.milliseconds, other.sequence)
    }
}

extension ReplicaStreamID {
    /// The greatest id before this one. `nil` for the least one.
    var predecessor: ReplicaStreamID? {
        if sequence > 0 { return ReplicaStreamID(milliseconds: milliseconds, sequence: sequence - 1) }
        return milliseconds > 0 ? ReplicaStreamID(milliseconds: milliseconds - 1, sequence: .max) : nil
    }
}

extension ReplicaStreamID: CustomStringConvertible {
    /// The id in the format of Redis.
    var description: String { "\(milliseconds)-\(sequence)" }

    /// Parses an id in the format of Redis. `nil` if it is malformed.
    init?(parsing bytes: some Collection<UInt8>) {
        guard let dash = bytes.firstIndex(of: UInt8(ascii: "-")),
            let milliseconds = UInt64(decimal: bytes[..<dash]),
            let sequence = UInt64(decimal: bytes[bytes.index(after: dash)...])
        else { return nil }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }
}

extension UInt64 {
    /// Parses decimal digits without leading zeros. `nil` for anything else and on overflow.
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
