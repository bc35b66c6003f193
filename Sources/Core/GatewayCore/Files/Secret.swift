/// A configured secret. It prints as `[redacted]`, also in a mirror, and compares in constant time.
package struct Secret: Sendable, Equatable {
    private let bytes: [UInt8]

    /// Creates a secret from bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Creates a secret from a text's UTF-8.
    package init(_ text: String) {
        self.init(text.utf8)
    }

    /// The size in bytes.
    package var count: Int { bytes.count }

    /// Returns whether the candidate has the same bytes. The time depends on the candidate's length only.
    package func matches(_ candidate: some Collection<UInt8>) -> Bool {
        var difference = UInt64(truncatingIfNeeded: candidate.count ^ bytes.count)
        for (index, byte) in candidate.enumerated() {
            // Excess bytes of a candidate are compared with their complement: the same work without a match.
            difference |= UInt64(byte ^ (index < bytes.count ? bytes[index] : ~byte))
        }
        return difference == 0
    }

    /// Calls `body` with the bytes, to send the secret to its service. The bytes must not be copied.
    package func withBytes<Result>(_ body: ([UInt8]) throws -> Result) rethrows -> Result {
        try body(bytes)
    }

    /// Compares in constant time.
    package static func == (lhs: Secret, rhs: Secret) -> Bool {
        lhs.matches(rhs.bytes)
    }
}

extension Secret: Hashable {
    /// Hashes the size only, so that a hash reveals nothing else.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `[redacted]`.
    package var description: String { "[redacted]" }
    /// Always `[redacted]`.
    package var debugDescription: String { description }
    /// An empty mirror, so that `dump` and string interpolation of an owner show nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
