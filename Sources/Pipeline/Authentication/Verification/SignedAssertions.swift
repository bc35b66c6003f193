package import GatewayCore

/// The signed assertions of one verified token, cached so that most requests reuse one.
package struct SignedAssertions {
    /// One signed assertion.
    package struct Assertion {
        /// The index of the upstream in the snapshot.
        package let upstream: Int
        /// The complete field line, with its CRLF.
        package let line: [UInt8]
        package let issuedAt: UnixTime
        /// When the assertion is replaced by a new one: after half of its lifetime.
        package let renewAt: UnixTime

        package init(upstream: Int, line: [UInt8], issuedAt: UnixTime, renewAt: UnixTime) {
            self.upstream = upstream
            self.line = line
            self.issuedAt = issuedAt
            self.renewAt = renewAt
        }
    }

    /// The maximum number of cached assertions. The oldest is evicted.
    package static let capacity = 4

    private var kept: [Assertion] = []

    package init() {}

    /// Returns the cached line for an upstream, if it may still be sent. A line from the future was signed before the
    /// clock was set back; upstreams would reject it.
    package func line(for upstream: Int, now: Int64) -> [UInt8]? {
        for assertion in kept where assertion.upstream == upstream {
            return !assertion.issuedAt.isAfter(now) && assertion.renewAt.isAfter(now) ? assertion.line : nil
        }
        return nil
    }

    /// Caches an assertion. It replaces the one for the same upstream, or fills a free slot, or evicts the oldest.
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
