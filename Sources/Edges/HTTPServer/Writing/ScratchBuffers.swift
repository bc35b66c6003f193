package import NIOCore

/// Buffers that heads are written into, then given to channels, and written into again once those have sent them: so writing allocates nothing.
///
/// One that a channel still holds gets a storage of its own when it is written into.
package final class ScratchBuffers {
    /// How many there are: beyond, those that were given first are written into again.
    static let count = 64

    // Constants that point to the state, instead of variables: a class's variables pay an exclusivity check each time.
    private let buffers: UnsafeMutablePointer<ByteBuffer>
    private let given: UnsafeMutablePointer<Int>
    private let capacity: Int

    /// - Parameter capacity: what each has room for at first, in bytes.
    package init(capacity: Int) {
        self.capacity = capacity
        buffers = .allocate(capacity: Self.count)
        for place in 0..<Self.count {
            (buffers + place).initialize(to: ByteBufferAllocator().buffer(capacity: capacity))
        }
        given = .allocate(capacity: 1)
        given.initialize(to: 0)
    }

    deinit {
        buffers.deinitialize(count: Self.count)
        buffers.deallocate()
        given.deallocate()
    }

    /// The next one to write into. It is another's once ``count`` more were asked for.
    package func next() -> UnsafeMutablePointer<ByteBuffer> {
        let place = given.pointee
        given.pointee = place + 1
        if place + 1 == Self.count { reuse() }
        return buffers + place
    }

    /// What was given to channels has been sent, mostly: those that were used last, and are in the processor's caches, are used next.
    ///
    /// What one had to hold that was much larger than usual is not kept.
    func reuse() {
        for place in 0..<given.pointee where buffers[place].capacity > 4 * capacity {
            buffers[place] = ByteBufferAllocator().buffer(capacity: capacity)
        }
        given.pointee = 0
    }
}

extension ByteBuffer {
    /// Empties a buffer that is written again and again, for at most `bound` bytes.
    ///
    /// Where what was written before is still waiting to be sent, it keeps its storage; so a small text must not have a large
    /// one, or a peer that does not read holds far more memory than bytes.
    @inline(__always)
    package mutating func reuse(for bound: Int) {
        if capacity > 4 * max(bound, 1024) {
            self = ByteBufferAllocator().buffer(capacity: bound)
        } else {
            clear(minimumCapacity: bound)
        }
    }
}
