/// A record as the view keeps it: one word, so that no reader can see half of one.
///
/// Bits 0 to 39 hold a time, bit 60 tells that there is one, bit 61 is the flag (disabled, or revoked), bit 62 tells
/// that the record is faulty and bit 63 that there is a record. 0 is no record. Bits 40 to 59 are the generation of the
/// table's content in which the record was last read; they are no part of what the record says.
struct RecordWord: Sendable {
    let bits: UInt64

    static let none = RecordWord(bits: 0)
    static let faulty = RecordWord(bits: present | (1 << 62))

    private static let present: UInt64 = 1 << 63
    private static let flag: UInt64 = 1 << 61
    private static let hasTime: UInt64 = 1 << 60
    private static let timeMask: UInt64 = (1 << 40) - 1
    private static let generationMask: UInt64 = ((1 << 20) - 1) << 40

    init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameter time: from 0 to `StoreBounds.maximumTime`, which 37 bits hold.
    init(time: Int64?, flag: Bool) {
        var bits = Self.present | (flag ? Self.flag : 0)
        if let time { bits |= Self.hasTime | (UInt64(truncatingIfNeeded: time) & Self.timeMask) }
        self.bits = bits
    }

    /// What the record says, without when it was read.
    private var content: UInt64 { bits & ~Self.generationMask }
    private var time: Int64? { bits & Self.hasTime == 0 ? nil : Int64(bits & Self.timeMask) }
    private var flag: Bool { bits & Self.flag != 0 }
}

extension RecordWord: Equatable {
    /// Whether both say the same, whenever they were read.
    @inline(__always)
    static func == (one: RecordWord, other: RecordWord) -> Bool {
        one.content == other.content
    }
}

extension RecordWord {
    /// The same record, read in `generation`, of which 20 bits count. No record has none.
    func stamped(_ generation: UInt64) -> RecordWord {
        if self == .none { return .none }
        return RecordWord(bits: content | (generation << 40 & Self.generationMask))
    }

    /// Whether the record was last read in `generation`.
    func isOf(_ generation: UInt64) -> Bool {
        bits & Self.generationMask == generation << 40 & Self.generationMask
    }
}

extension RecordWord {
    /// A user of whom nothing is known takes no place in the table.
    init(_ record: UserRecord) {
        self = record == UserRecord() ? .none : RecordWord(time: record.validSince, flag: record.disabled)
    }

    /// A session of which nothing is known takes no place in the table.
    init(_ record: SessionRecord) {
        self = record == SessionRecord() ? .none : RecordWord(time: record.signedInAt, flag: record.revoked)
    }

    var user: UserLookup {
        if self == .none { return .none }
        return self == .faulty ? .faulty : .record(validSince: time, disabled: flag)
    }

    var session: SessionLookup {
        if self == .none { return .none }
        return self == .faulty ? .faulty : .record(revoked: flag, signedInAt: time)
    }
}
