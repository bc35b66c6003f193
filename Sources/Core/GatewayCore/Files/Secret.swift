/// A configured secret: it prints as `[redacted]`, also in a mirror, and compares in constant time.
package struct Secret: Sendable, Equatable {
    private let bytes: [UInt8]

    /// A secret of these bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// A secret of this text's UTF-8.
    package init(_ text: String) {
        self.init(text.utf8)
    }

    /// The number of its bytes.
    package var count: Int { bytes.count }

    /// Whether the candidate has these very bytes. The time taken depends on the candidate's length, not on where it
    /// differs.
    package func matches(_ candidate: some Collection<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: candidate.count ^ bytes.count)
        for (index, byte) in candidate.enumerated() {
            // A candidate that is too long is compared with itself's complement: the same work, never a match.
            difference |= UInt64(byte ^ (index < bytes.count ? bytes[index] : ~byte))
        }
        return difference == 0
    }

    /// Gives the bytes to a body that needs them, to send the secret to its own peer. Keep no copy.
    package func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
        try body(bytes)
    }

    /// Compares in constant time.
    package static func == (lhs: Secret, rhs: Secret) -> Bool {
        lhs.matches(rhs.bytes)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    package var description: String { "[redacted]" }
    /// Always `[redacted]`.
    package var debugDescription: String { description }
    /// Shows no children, so that `dump` and string interpolation of an owner show nothing either.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
