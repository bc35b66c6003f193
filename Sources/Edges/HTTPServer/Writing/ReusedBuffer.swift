package import NIOCore

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
