/// The assertions that were signed for one verified token, so that most requests find theirs.
struct SignedAssertions {
    /// One signed assertion.
    struct Assertion {
        /// The upstream that it is for, by its place among the snapshot's.
        let upstream: Int
        /// The complete field line, with its CRLF.
        let line: [UInt8]
        let issuedAt: UnixTime
        /// From then on another is signed: half of the lifetime has passed.
        let renewAt: UnixTime
    }

    /// The most that are kept; the oldest makes room.
    static let capacity = 4

    private var kept: [Assertion] = []

    /// The line for an upstream, where one is kept that may still be sent. One of the future was signed before the clock was
    /// set back, and would be refused.
    func line(for upstream: Int, now: Int64) -> [UInt8]? {
        for assertion in kept where assertion.upstream == upstream {
            return !assertion.issuedAt.isAfter(now) && assertion.renewAt.isAfter(now) ? assertion.line : nil
        }
        return nil
    }

    /// Keeps one, in the place of that for the same upstream, of none, or of the oldest.
    mutating func keep(_ assertion: Assertion) {
        if let index = kept.firstIndex(where: { $0.upstream == assertion.upstream }) {
            kept[index] = assertion
        } else if kept.count < Self.capacity {
            kept.append(assertion)
        } else if let oldest = kept.indices.min(by: { kept[$0].issuedAt < kept[$1].issuedAt }) {
            kept[oldest] = assertion
        }
    }
}
