/// One thing that a server does on a connection. An answer is a script of such steps, good or bad.
enum ScriptStep: Sendable {
    /// Sends bytes.
    case send([UInt8])
    /// Sends so many bytes of `BodyPattern`, no faster than the peer reads.
    case fill(Int)
    /// Sends bytes one at a time with a pause after each.
    case drip(ArraySlice<UInt8>, interval: Duration)
    /// Sends events of an event stream, each in a chunk of its own with a pause after it, up to number `last`; nil: for ever.
    case events(next: Int, last: Int?, every: Duration)
    /// Does nothing for a while.
    case wait(Duration)
    /// Does nothing until the gate opens.
    case hold(Gate)
    /// Stops or resumes reading what the peer sends.
    case reading(Bool)
    /// Closes once everything before is sent.
    case close
    /// Closes with a TCP reset.
    case reset
    /// Never does anything again.
    case hang
}

/// Bodies of any length that a receiver can check.
public enum BodyPattern {
    static let block = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n".utf8)

    /// The first `count` bytes of the pattern, which repeats every 64 bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { block[$0 & 63] }
    }
}
