/// The `match` blocks of a file in the order of the text, each with the data for matching a path against the whole
/// pattern.
struct MatchTree: Sendable {
    /// A `match` block.
    struct Block: Sendable {
        /// The block's own segments before a rest, as a range of `segments`, and the index of the first one in a path.
        var connectionContext: Range<Int32>
        var start: Int32
        /// All segments of the whole pattern after the rest. `nil` without a rest; the path then ends with the front.
        var tail: Range<Int32>?
        /// The captures of the whole pattern, in `captures`.
        var captures: Range<Int32>
        /// The block's own `allow`s, and the operations that they name.
        var rules: Range<Int32>
        var operations: RuleOperationSet
        /// The operations of all `allow`s of the block and its inner blocks.
        var allOperations: RuleOperationSet
        /// The block after the last inner one.
        var next: Int32
    }

    /// A segment other than a rest: a range of `literals`, or any segment that is not empty.
    enum Segment: Sendable {
        case literal(Range<Int32>)
        case any
    }

    /// The path segments of a capture.
    enum Capture: Sendable {
        case segment(Int32)
        /// A segment counted from the end of the path; 1 is the last.
        case segmentFromEnd(Int32)
        /// All segments from an index on, except for `end` segments at the end.
        case rest(Int32, end: Int32)
    }

    var blocks: [Block] = []
    var segments: [Segment] = []
    var literals: [UInt8] = []
    var captures: [Capture] = []
}
