/// The bytes of the request heads that the streams of one connection hold. A compressed head takes few bytes of the
/// connection, but is kept until the end of its response.
struct HeadBudget: Sendable, Equatable {
    private let capacity: Int
    private(set) var held = 0

    init(_ capacity: Int) {
        self.capacity = capacity
    }

    /// Takes the bytes of a head. Returns whether the budget allowed it; a single head always fits.
    mutating func take(_ bytes: Int) -> Bool {
        guard held == 0 || bytes <= capacity - held else { return false }
        held += bytes
        return true
    }

    mutating func release(_ bytes: Int) {
        held = max(0, held - bytes)
    }
}
