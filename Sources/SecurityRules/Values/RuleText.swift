/// Strings by their UTF-8: Swift's own comparison takes texts for equal that are canonically equivalent, and an upstream does not.
enum RuleText {
    /// Whether both have the same bytes.
    @inline(__always)
    static func equal(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return withBytes(a) { a in withBytes(b) { b in a.elementsEqual(b) } }
    }

    /// Less than 0 where `a` comes first, 0 where both are the same, else more than 0: by bytes, which is the order of Unicode scalars.
    static func compare(_ a: String, _ b: String) -> Int {
        withBytes(a) { a in withBytes(b) { b in compare(a, b) } }
    }

    /// The same of bytes.
    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
        return a.count == b.count ? 0 : a.count < b.count ? -1 : 1
    }

    /// Lends the UTF-8 of a string, in place: strings that Swift made are contiguous.
    @inline(__always)
    static func withBytes<Result, Failure: Error>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = text
        var outcome: Swift.Result<Result, Failure>?
        text.withUTF8 { bytes in
            do throws(Failure) { outcome = .success(try body(bytes)) } catch { outcome = .failure(error) }
        }
        // `withUTF8` has called the closure.
        return try outcome.unsafelyUnwrapped.get()
    }
}
