import JOSE

/// The gateway's keys for assertions: the one that signs, and those that are published.
struct AssertionKeys: Sendable {
    /// Signs.
    let current: SigningKey
    let previous: [SigningKey]

    init(current: SigningKey, previous: [SigningKey]) {
        self.current = current
        self.previous = previous
    }

    /// All of them, the current one first.
    var published: [SigningKey] { [current] + previous }
}
