/// The field lines of one head, replaced by each parse.
///
/// Its memory is allocated once and reused, so that parsing allocates nothing. Each worker or connection has its own;
/// it is not thread-safe. A failed parse leaves it partially filled.
public final class FieldTable {
    @usableFromInline struct State {
        @usableFromInline var count: Int
        /// One bit for each kind that occurs. An `Occurrence` is valid only if its bit is set.
        @usableFromInline var present: UInt64
    }

    @usableFromInline struct Occurrence {
        @usableFromInline var first: UInt16
        @usableFromInline var count: UInt16
    }

    /// The maximum number of field lines.
    public let capacity: Int

    // Constant pointers instead of variables, since each access to a class's variable is checked for exclusivity.
    @usableFromInline let storage: UnsafeMutablePointer<Field>
    @usableFromInline let state: UnsafeMutablePointer<State>
    @usableFromInline let occurrences: UnsafeMutablePointer<Occurrence>

    /// Creates a table for `capacity` field lines, clamped to 1 to 65,535.
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

    /// The number of field lines.
    @inlinable
    public var count: Int { state.pointee.count }

    /// The field line at `index`, in the order of the head. Traps if the index is out of bounds.
    @inlinable
    public subscript(index: Int) -> Field {
        precondition(index >= 0 && index < count, "no such field")
        return storage[index]
    }

    /// Returns whether there is a field of this kind, in constant time.
    @inlinable
    public func contains(_ kind: FieldKind) -> Bool { state.pointee.present & kind.bit != 0 }

    /// Returns the number of field lines of this kind, in constant time.
    @inlinable
    public func count(of kind: FieldKind) -> Int {
        contains(kind) ? Int(occurrences[Int(kind.rawValue)].count) : 0
    }

    /// Returns the index of the first field line of this kind, in constant time.
    @inlinable
    public func firstIndex(of kind: FieldKind) -> Int? {
        contains(kind) ? Int(occurrences[Int(kind.rawValue)].first) : nil
    }

    /// Returns the index of the next field line of this kind after `index`.
    public func nextIndex(of kind: FieldKind, after index: Int) -> Int? {
        var next = index + 1
        while next < count {
            if storage[next].kind == kind { return next }
            next += 1
        }
        return nil
    }

    /// Returns the first field line of this kind.
    public func first(_ kind: FieldKind) -> Field? { firstIndex(of: kind).map { storage[$0] } }

    /// Removes all field lines.
    public func removeAll() {
        state.pointee = State(count: 0, present: 0)
    }
}

extension FieldTable {
    /// Appends a field line. The caller has checked the capacity.
    @inline(__always)
    func append(_ field: Field) {
        let index = state.pointee.count
        storage[index] = field
        state.pointee.count = index &+ 1
        if field.kind != .other { record(field.kind, at: index) }
    }

    @inline(__always)
    private func record(_ kind: FieldKind, at index: Int) {
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
    @inlinable var bit: UInt64 { 1 &<< UInt64(rawValue) }
}
