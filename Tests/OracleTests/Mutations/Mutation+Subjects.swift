extension Mutation {
    /// Around 128 in bytes, in UTF-16 units, in code points and in characters.
    static let subjects: [Mutation] =
        lengths.flatMap { text, counts in counts.map { subject(text, $0) } } + strange.map { subject($0, 1) }

    private static let lengths: [(String, [Int])] = [
        ("a", [1, 64, 127, 128, 129, 256]), ("\u{E9}", [32, 63, 64, 65, 127, 128, 129]),
        ("\u{20AC}", [42, 43, 127, 128, 129]),
        ("\u{1F600}", [31, 32, 33, 63, 64, 65, 127, 128, 129]), ("e\u{301}", [42, 43, 64, 65, 128]),
        (#"\u0061"#, [128, 129]),
        (#"\u00e9"#, [63, 64, 65]), (#"\ud83d\ude00"#, [32, 33, 64, 65]),
    ]

    private static let strange = [
        #"\u0000"#, #"\/"#, #"\\"#, #"\""#, #"\n"#, "..", "../admin", "a:b", "{a}", "a b", "\u{202E}", "\u{FFFD}",
        "\u{10FFFF}",
        #"\uFFFE"#, #"\ud800a"#, #"a\ud83d"#, #"\udc00\ud83d"#, "apple.com:1",
    ]

    private static func subject(_ text: String, _ count: Int) -> Mutation {
        let value = "\"\(String(repeating: text, count: count))\""
        return Mutation("sub \(text) \(count) times") {
            $0.claims["sub"] = value
            $0.claims["user_id"] = value
        }
    }
}
