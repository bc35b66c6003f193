package import JOSE

/// The gateway's keys for assertions: the one that signs, and those that are published.
package struct AssertionKeys: Sendable {
    /// Signs.
    package let current: SigningKey
    let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey]) {
        self.current = current
        self.previous = previous
    }

    /// All of them, the current one first.
    package var published: [SigningKey] { [current] + previous }
}
