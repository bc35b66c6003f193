import Revocation

/// When to look whether Redis has lost records, and what was found. Times are monotonic nanoseconds.
struct LossWatch {
    /// How long after a reading what looks lost may still be a change whose entry is on its way.
    static let settling: UInt64 = 1_000_000_000
    /// How often to look again while something is lost.
    static let interval: UInt64 = 5_000_000_000
    /// How many names are looked up in one tick of the loop.
    static let slice = 1000
    /// How many records are written back before others are looked for.
    static let batch = 10_000

    /// Whether a part of the history was lost.
    var wentBack = false
    /// What was found last.
    var reported = StoreLoss()
    /// Whether the next reading of everything is to be believed.
    var isAcceptanceAsked = false
    var isRestoring = false
    private var dueAt: UInt64?

    mutating func check(at time: UInt64) { dueAt = time }
    mutating func stop() { dueAt = nil }

    /// Whether it is time to look: the view holds everything that was acknowledged before `confirmed`.
    func isDue(_ confirmed: UInt64) -> Bool { dueAt.map { confirmed >= $0 } ?? false }
}
