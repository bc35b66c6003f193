package import GatewayCore

/// The assertions that were signed for one verified token, so that most requests find theirs.
package struct SignedAssertions {
    /// One signed assertion.
    package struct Assertion {
        /// The upstream that it is for, by its place among the snapshot's.
        package let upstream: Int
        /// The complete field line, with its CRLF.
        package let line: [UInt8]
        package let issuedAt: UnixTime
        /// From then on another is signed: half of the lifetime has passed.
        package let renewAt: UnixTime

        package init(upstream: Int, line: [UInt8], issuedAt: UnixTime, renewAt: UnixTime) {
            self.upstream = upstream
            self.line = line
            self.issuedAt = issuedAt
            self.renewAt = renewAt
        }
    }

    /// The most that are kept; the oldest makes room.
    package static let capacity = 4

    private var kept: [Assertion] = []

    package init() {}

    /// The line for an upstream, where one is kept that may still be sent. One of the future was signed before the clock was
    /// set back, and would be refused.
    package func line(for upstream: Int, now: Int64) -> [UInt8]? {
        for assertion in kept where assertion.upstream == upstream {
            return !assertion.issuedAt.isAfter(now) && assertion.renewAt.isAfter(now) ? assertion.line : nil
        }
        return nil
    }

    /// Keeps one, in the place of that for the same upstream, of none, or of the oldest.
    package mutating func keep(_ assertion: Assertion) {
        if let index = kept.firstIndex(where: { $0.upstream == assertion.upstream }) {
            kept[index] = assertion
        } else if kept.count < Self.capacity {
            kept.append(assertion)
        } else if let oldest = kept.indices.min(by: { kept[$0].issuedAt < kept[$1].issuedAt }) {
            kept[oldest] = assertion
        }
    }
}
