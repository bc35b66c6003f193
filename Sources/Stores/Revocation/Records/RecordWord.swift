import GatewayCore

/// A record of the view in one word, so that reads and writes are atomic.
///
/// 0 is no record. The bits are:
/// - 0 to 38: a time.
/// - 39: the time is that of an authentication.
/// - 40 to 58: the generation in which the record was last read from the store.
/// - 59: the store has lost at least a part of the record.
/// - 60: there is a time.
/// - 61: the flag (`disabled` or `revoked`).
/// - 62: the record is faulty.
/// - 63: there is a record.
///
/// Bits 40 to 59 are not part of the record's content.
package struct RecordWord: Sendable {
    let bits: UInt64

    package static let none = RecordWord(bits: 0)
    package static let faulty = RecordWord(bits: present | (1 << 62))

    private static let present: UInt64 = 1 << 63
    private static let flag: UInt64 = 1 << 61
    private static let hasTime: UInt64 = 1 << 60
    private static let isAuthentication: UInt64 = 1 << 39
    private static let timeMask: UInt64 = (1 << 39) - 1
    private static let kept: UInt64 = 1 << 59
    private static let generationMask: UInt64 = ((1 << 19) - 1) << 40

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// The latest time takes 37 bits.
    init(time: UnixTime?, flag: Bool, isAuthentication: Bool = false) {
        var bits = Self.present | (flag ? Self.flag : 0) | (isAuthentication ? Self.isAuthentication : 0)
        if let time { bits |= Self.hasTime | (UInt64(truncatingIfNeeded: time.seconds) & Self.timeMask) }
        self.bits = bits
    }

    /// The word without its generation, for a file.
    package var savedBits: UInt64 { bits & ~Self.generationMask }

    /// Creates a record from a file.
    package init(savedBits: UInt64) {
        bits = savedBits & ~Self.generationMask
    }

    /// The content of the record, without the generation and the mark of a loss.
    private var content: UInt64 { bits & ~(Self.generationMask | Self.kept) }
    /// Whether the store has lost at least a part of the record.
    @inline(__always)
    package var isKept: Bool { bits & Self.kept != 0 }
    private var time: UnixTime? { bits & Self.hasTime == 0 ? nil : UnixTime(Int64(bits & Self.timeMask)) }
    private var flag: Bool { bits & Self.flag != 0 }
    private var isAuthentication: Bool { bits & Self.isAuthentication != 0 }
}

/// The parts of a record that an entry of the stream names as withdrawn.
package struct RecordParts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `valid_since`.
    package static let time = RecordParts(rawValue: 1)
    /// `disabled`, or `revoked` for a session.
    package static let flag = RecordParts(rawValue: 2)
    package static let all: RecordParts = [.time, .flag]
}

extension RecordWord: Equatable {
    /// Returns whether both records have the same content, regardless of generation.
    @inline(__always)
    package static func == (one: RecordWord, other: RecordWord) -> Bool {
        one.content == other.content
    }
}

extension RecordWord {
    /// Returns the record with the lowest 19 bits of `generation`. An empty record stays empty.
    func stamped(_ generation: UInt64) -> RecordWord {
        if self == .none { return .none }
        return RecordWord(bits: bits & ~Self.generationMask | (generation << 40 & Self.generationMask))
    }

    /// The record with the mark that the store has lost a part of it. An empty record stays empty.
    var keptByView: RecordWord { self == .none ? .none : RecordWord(bits: bits | Self.kept) }

    /// Returns the view's new record for a record that was read from the store. Restrictions of `old` remain, except
    /// for the parts that the change names.
    package func keeping(_ old: RecordWord, changing named: RecordParts) -> RecordWord {
        if old == .none || self == .faulty || named == .all { return self }
        if old == .faulty { return self == .none && named.isEmpty ? old.keptByView : self }
        let timed = named.contains(.time) || (old.time?.seconds ?? -1) <= (self.time?.seconds ?? -1) ? self : old
        let flag = self.flag || (old.flag && !named.contains(.flag))
        let merged =
            timed.time == nil && !flag
            ? .none : RecordWord(time: timed.time, flag: flag, isAuthentication: timed.isAuthentication)
        return merged == self ? self : merged.keptByView
    }

    /// Returns the view's new record for a write of this gateway that the view may lack: the stricter of both in each
    /// part. Only entries of the stream and readings withdraw a restriction.
    package func restricting(_ old: RecordWord) -> RecordWord {
        if self == .none || old == .faulty { return old }
        if self == .faulty || old == .none { return self }
        let timed = (old.time?.seconds ?? -1) < (time?.seconds ?? -1) ? self : old
        let merged = RecordWord(time: timed.time, flag: flag || old.flag, isAuthentication: timed.isAuthentication)
        return old.isKept ? merged.keptByView : merged
    }

    /// Returns whether the record was last read in `generation`.
    func isOf(_ generation: UInt64) -> Bool {
        bits & Self.generationMask == generation << 40 & Self.generationMask
    }
}

extension RecordWord {
    /// Creates a record. An empty one takes no slot in the table.
    package init(_ record: UserRecord) {
        self =
            record.validSince == nil && !record.disabled
            ? .none : RecordWord(time: record.validSince, flag: record.disabled)
    }

    /// Creates a record. An empty one takes no slot in the table.
    package init(_ record: SessionRecord) {
        self =
            record == SessionRecord()
            ? .none
            : RecordWord(
                time: record.signedInAt, flag: record.revoked, isAuthentication: record.isAuthenticated)
    }

    package var user: UserLookup {
        if self == .none { return .none }
        return self == .faulty ? .faulty : .record(validSince: time, disabled: flag)
    }

    package var session: SessionLookup {
        if self == .none { return .none }
        return self == .faulty ? .faulty : .record(revoked: flag, signedInAt: time, isAuthenticated: isAuthentication)
    }
}
