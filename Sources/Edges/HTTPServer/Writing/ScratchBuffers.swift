public import NIOCore

/// Reusable buffers for heads that are passed to channels, so that writing does not allocate.
///
/// A buffer that a channel still holds gets new storage when it is reused.
package final class ScratchBuffers {
    /// The number of buffers. After the last one, the first is reused.
    static let count = 64

    // Constant pointers instead of variables, because each access to a class's variable incurs an exclusivity check.
    private let buffers: UnsafeMutablePointer<ByteBuffer>
    private let given: UnsafeMutablePointer<Int>
    private let capacity: Int

    /// Creates the buffers.
    ///
    /// - Parameter capacity: The initial capacity of each, in bytes.
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

    /// Returns the next buffer. It is reused after ``count`` more calls.
    package func next() -> UnsafeMutablePointer<ByteBuffer> {
        let place = given.pointee
        given.pointee = place + 1
        if place + 1 == Self.count { reuse() }
        return buffers + place
    }

    /// Restarts with the first buffers after writes were sent, because they are most likely in the processor's caches.
    ///
    /// Buffers that have grown far beyond the usual size are replaced.
    func reuse() {
        for place in 0..<given.pointee where buffers[place].capacity > 4 * capacity {
            buffers[place] = ByteBufferAllocator().buffer(capacity: capacity)
        }
        given.pointee = 0
    }
}

extension ByteBuffer {
    /// Clears a reused buffer for at most `bound` bytes.
    ///
    /// Pending data keeps the old storage alive. A small text must therefore not use large storage, or a peer that does
    /// not read would hold far more memory than its data.
    @inlinable
    public mutating func reuse(for bound: Int) {
        if capacity > 4 * max(bound, 1024) {
            self = ByteBufferAllocator().buffer(capacity: bound)
        } else {
            clear(minimumCapacity: bound)
        }
    }
}
