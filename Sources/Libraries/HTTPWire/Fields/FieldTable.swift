/// The field lines of one head, filled anew by each parse.
///
/// Its memory is allocated once and reused, so that parsing a head allocates nothing. One for each worker or connection
/// is enough; it is not to be shared between threads. A parse that throws leaves it in part filled.
public final class FieldTable {
    struct State {
        var count: Int
        /// One bit for each kind that occurs; only for those are `Occurrence`s up to date.
        var present: UInt64
    }

    struct Occurrence {
        var first: UInt16
        var count: UInt16
    }

    /// The most field lines it has room for.
    public let capacity: Int

    // Constants that point to the state, instead of variables: a class's variables pay an exclusivity check each time.
    let storage: UnsafeMutablePointer<Field>
    let state: UnsafeMutablePointer<State>
    let occurrences: UnsafeMutablePointer<Occurrence>

    /// A table with room for `capacity` field lines, at least 1 and at most 65,535.
    public init(capacity: Int) {
        self.capacity = min(max(capacity, 1), Int(UInt16.max))
        storage = .allocate(capacity: self.capacity)
        state = .allocate(capacity: 1)
        state.initialize(to: State(count: 0, present: 0))
        occurrences = .allocate(capacity: 64)
        occurrences.initialize(repeating: Occurrence(first: 0, count: 0), count: 64)
    }

    deinit {
        storage.deallocate()
        state.deallocate()
        occurrences.deallocate()
    }

    /// How many field lines the head has.
    public var count: Int { state.pointee.count }

    /// The field line at `index`, in the head's order. Traps when there is none.
    public subscript(index: Int) -> Field {
        precondition(index >= 0 && index < count, "no such field")
        return storage[index]
    }

    /// Whether any field is of this kind; the cost does not depend on the number of fields.
    public func contains(_ kind: FieldKind) -> Bool { state.pointee.present & kind.bit != 0 }

    /// How many field lines are of this kind; the cost does not depend on the number of fields.
    public func count(of kind: FieldKind) -> Int {
        contains(kind) ? Int(occurrences[Int(kind.rawValue)].count) : 0
    }

    /// The index of the first field line of this kind; the cost does not depend on the number of fields.
    public func firstIndex(of kind: FieldKind) -> Int? {
        contains(kind) ? Int(occurrences[Int(kind.rawValue)].first) : nil
    }

    /// The index of the next field line of this kind after the one at `index`.
    public func nextIndex(of kind: FieldKind, after index: Int) -> Int? {
        var next = index + 1
        while next < count {
            if storage[next].kind == kind { return next }
            next += 1
        }
        return nil
    }

    /// The first field line of this kind.
    public func first(_ kind: FieldKind) -> Field? { firstIndex(of: kind).map { storage[$0] } }

    /// Forgets all field lines.
    public func removeAll() {
        state.pointee = State(count: 0, present: 0)
    }
}

extension FieldTable {
    /// Adds a field line; the caller has checked that there is room.
    @inline(__always)
    func append(_ field: Field) {
        let index = state.pointee.count
        storage[index] = field
        state.pointee.count = index &+ 1
        if field.kind != .other { note(field.kind, at: index) }
    }

    @inline(__always)
    private func note(_ kind: FieldKind, at index: Int) {
        let slot = occurrences + Int(kind.rawValue)
        if state.pointee.present & kind.bit == 0 {
            state.pointee.present |= kind.bit
            slot.pointee = Occurrence(first: UInt16(truncatingIfNeeded: index), count: 1)
        } else {
            slot.pointee.count &+= 1
        }
    }
}

extension FieldKind {
    /// The kind's bit in a set of kinds; there are fewer than 64.
    @inline(__always)
    var bit: UInt64 { 1 &<< UInt64(rawValue) }
}
