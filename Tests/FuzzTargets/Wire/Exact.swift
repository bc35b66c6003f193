/// Calls `body` with a copy of `bytes` in memory that ends where they end, so that a sanitizer sees one byte too far.
package func withExactCopy<R>(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyMemory(from: bytes)
    return body(UnsafeRawBufferPointer(copy))
}

extension UnsafeRawBufferPointer {
    /// A part of the bytes, counted from their first one.
    package func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}
