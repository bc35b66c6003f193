import GatewayCore

/// A record as the view keeps it: one word, so that no reader can see half of one.
///
/// Bits 0 to 38 hold a time, bit 39 tells that it is the time of an authentication, bit 60 tells that there is one, bit 61
/// is the flag (disabled, or revoked), bit 62 tells that the record is faulty and bit 63 that there is a record. 0 is no
/// record. Bits 40 to 58 are the generation of the table's content in which the record was last read, and bit 59 tells
/// that the store does not hold it any more; they are no part of what the record says.
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

    /// What the record says, without when it was read.
    private var content: UInt64 { bits & ~(Self.generationMask | Self.kept) }
    /// Whether the store does not hold all of it any more.
    @inline(__always)
    package var isKept: Bool { bits & Self.kept != 0 }
    private var time: UnixTime? { bits & Self.hasTime == 0 ? nil : UnixTime(Int64(bits & Self.timeMask)) }
    private var flag: Bool { bits & Self.flag != 0 }
    private var isAuthentication: Bool { bits & Self.isAuthentication != 0 }
}

/// Parts of a record: what an entry of the stream takes back.
package struct RecordParts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `valid_since`.
    package static let time = RecordParts(rawValue: 1)
    /// `disabled`, and `revoked` of a session.
    package static let flag = RecordParts(rawValue: 2)
    package static let all: RecordParts = [.time, .flag]
}

extension RecordWord: Equatable {
    /// Whether both say the same, whenever they were read.
    @inline(__always)
    package static func == (one: RecordWord, other: RecordWord) -> Bool {
        one.content == other.content
    }
}

extension RecordWord {
    /// The same record, read in `generation`, of which 19 bits count. No record has none.
    func stamped(_ generation: UInt64) -> RecordWord {
        if self == .none { return .none }
        return RecordWord(bits: bits & ~Self.generationMask | (generation << 40 & Self.generationMask))
    }

    /// The same record, of which the store does not hold all any more. No record has none.
    var keptByView: RecordWord { self == .none ? .none : RecordWord(bits: bits | Self.kept) }

    /// What the view has after the store told this record: nothing that `old` says becomes weaker but what `named` names.
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

    /// Whether the record was last read in `generation`.
    func isOf(_ generation: UInt64) -> Bool {
        bits & Self.generationMask == generation << 40 & Self.generationMask
    }
}

extension RecordWord {
    /// A user of whom nothing is known takes no place in the table.
    package init(_ record: UserRecord) {
        self =
            record.validSince == nil && !record.disabled
            ? .none : RecordWord(time: record.validSince, flag: record.disabled)
    }

    /// A session of which nothing is known takes no place in the table.
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
