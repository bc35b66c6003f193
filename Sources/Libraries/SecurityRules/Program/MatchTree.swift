/// The `match` blocks of a file, in the order of the text, each with all it takes to match a path against the whole pattern.
struct MatchTree: Sendable {
    /// A `match` block.
    struct Block: Sendable {
        /// Of its own segments those in front of a rest: the first of them in `segments`, how many, and which segment of a path it stands for.
        var front: Range<Int32>
        var start: Int32
        /// All segments behind the rest that the pattern has, outer blocks' too; nil: there is no rest, and a path is as long as the front.
        var tail: Range<Int32>?
        /// Those of the whole pattern, in `captures`.
        var captures: Range<Int32>
        /// Its own `allow`s, and what they name.
        var rules: Range<Int32>
        var operations: RuleOperationSet
        /// What all `allow`s in it name, those of inner blocks too.
        var allOperations: RuleOperationSet
        /// The block that follows the last inner one.
        var next: Int32
    }

    /// A segment that is no rest: a range of `literals`, or any segment that is not empty.
    enum Segment: Sendable {
        case literal(Range<Int32>)
        case any
    }

    /// Which segments of a path a capture stands for.
    enum Capture: Sendable {
        case segment(Int32)
        /// Counted from the end of the path: 1 is the last.
        case segmentFromEnd(Int32)
        /// From that one on, but for so many at the end.
        case rest(Int32, end: Int32)
    }

    var blocks: [Block] = []
    var segments: [Segment] = []
    var literals: [UInt8] = []
    var captures: [Capture] = []
}
