/// Strings by their UTF-8: Swift's own comparison takes texts for equal that are canonically equivalent, and an upstream does not.
enum RuleText {
    /// Whether both have the same bytes.
    @inline(__always)
    static func equal(_ a: String, _ b: String) -> Bool {
        let (a, b) = (a.utf8, b.utf8)
        guard a.count == b.count else { return false }
        return a.elementsEqual(b)
    }

    /// Less than 0 where `a` comes first, 0 where both are the same, else more than 0: by bytes, which is the order of Unicode scalars.
    static func compare(_ a: String, _ b: String) -> Int {
        var (left, right) = (a.utf8.makeIterator(), b.utf8.makeIterator())
        while true {
            switch (left.next(), right.next()) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let x?, let y?) where x != y: return x < y ? -1 : 1
            default: continue
            }
        }
    }
}
