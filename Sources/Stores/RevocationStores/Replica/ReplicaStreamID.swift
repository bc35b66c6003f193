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
