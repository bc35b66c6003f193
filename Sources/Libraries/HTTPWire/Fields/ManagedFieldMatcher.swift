/// A matcher for the fields that a gateway writes itself, in every spelling that a service may read as one of them.
///
/// It compares names with letters in lower case and all bytes other than letters and digits as `-`. CGI and its
/// successors map `X-Auth-Uid`, `x_auth_uid` and `X.Auth.Uid` to one variable. It is built off the request path; a
/// name whose first byte begins no entry costs one lookup.
public struct ManagedFieldMatcher: Sendable {
    /// One normalized exact name or prefix.
    fileprivate struct Entry: Sendable {
        /// The first eight bytes, the first one lowest, and a mask of the bits that they fill.
        var word: UInt64
        var mask: UInt64
        /// The bytes after those eight.
        var rest: [UInt8]
        var length: Int
        var isPrefix: Bool
    }

    private let entries: [Entry]
    /// The bounds of the entries for each first byte, in its original case.
    private let groups: [UInt16]

    /// Creates a matcher of `exact` names and `prefixes`. Empty ones match nothing; only the first 65,535 entries are
    /// used.
    public init(exact: [String], prefixes: [String]) {
        var built = exact.compactMap { Entry($0, isPrefix: false) } + prefixes.compactMap { Entry($0, isPrefix: true) }
        built.sort { $0.word & 0xFF < $1.word & 0xFF }
        entries = Array(built.prefix(Int(UInt16.max)))
        groups = ManagedFieldMatcher.groups(of: entries)
    }

    /// Returns whether the field with this name is managed.
    @inlinable
    public func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let base = name.baseAddress, name.count > 0 else { return false }
        return matches(base, count: name.count)
    }

    @usableFromInline
    func matches(_ name: UnsafeRawPointer, count: Int) -> Bool {
        let slot = Int(name.byte(0)) &* 2
        let first = Int(groups[slot])
        let end = Int(groups[slot &+ 1])
        return first < end && matches(name, count, first..<end)
    }

    private func matches(_ name: UnsafeRawPointer, _ count: Int, _ candidates: Range<Int>) -> Bool {
        let word = ManagedFieldMatcher.word(name, count)
        return entries.withUnsafeBufferPointer { entries in
            for index in candidates
            where word & entries[index].mask == entries[index].word && entries[index].covers(name, count) {
                return true
            }
            return false
        }
    }

    private static func groups(of entries: [Entry]) -> [UInt16] {
        var groups = [UInt16](repeating: 0, count: 512)
        for byte in 0...255 {
            let first = UInt64(ByteClass.normalize(UInt8(byte)))
            guard let start = entries.firstIndex(where: { $0.word & 0xFF == first }) else { continue }
            let end = entries[start...].firstIndex { $0.word & 0xFF != first } ?? entries.count
            groups[byte * 2] = UInt16(start)
            groups[byte * 2 + 1] = UInt16(end)
        }
        return groups
    }

    /// Returns the first eight normalized bytes of a name, the first one lowest. Missing bytes are zero, which no
    /// normalized byte is.
    @inline(__always)
    private static func word(_ name: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var word: UInt64 = 0
        for offset in 0..<min(count, 8) {
            word |= UInt64(ByteClass.normalize(name.byte(offset))) &<< UInt64(offset &* 8)
        }
        return word
    }
}

extension ManagedFieldMatcher.Entry {
    fileprivate init?(_ name: String, isPrefix: Bool) {
        let bytes = name.utf8.map(ByteClass.normalize)
        guard !bytes.isEmpty else { return nil }
        word = 0
        for (offset, byte) in bytes.prefix(8).enumerated() { word |= UInt64(byte) << UInt64(offset * 8) }
        mask = bytes.count >= 8 ? .max : (1 << UInt64(bytes.count * 8)) - 1
        rest = Array(bytes.dropFirst(8))
        length = bytes.count
        self.isPrefix = isPrefix
    }

    /// Returns whether the length and the remaining bytes of a name match, after its first bytes did.
    @inline(__always)
    fileprivate func covers(_ name: UnsafeRawPointer, _ count: Int) -> Bool {
        guard isPrefix ? count >= length : count == length else { return false }
        for offset in 0..<rest.count where ByteClass.normalize(name.byte(offset &+ 8)) != rest[offset] { return false }
        return true
    }
}
