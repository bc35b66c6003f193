extension Mutation {
    static let timeClaims = ["iat", "exp", "auth_time", "nbf"]

    /// Around now, and around now by each skew that is tried; and far from it.
    private static let offsets: [Int64] = [
        -1_000_000_000, -86_400, -3600, -61, -60, -59, -6, -5, -4, -2, -1, 0, 1, 2, 4, 5, 6, 59, 60, 61, 3600, 86_400,
        1_000_000_000,
    ]

    static let times: [Mutation] = timeClaims.flatMap { claim in
        (near + strange).map { Mutation.claim(claim, $0) }
    }

    private static let near: [String] =
        offsets.map { "\(TokenDraft.now + $0)" } + [-6, -5, -1, 0, 1, 5, 6].flatMap { forms(of: TokenDraft.now + $0) }

    /// A time as a number that is no integer in JSON, and as what is no number.
    private static func forms(of time: Int64) -> [String] {
        [
            "\(time).0", "\(time).5", "\(time)e0", "\(time)E+0", "\(time)0e-1", "\(time).000000000001", "\"\(time)\"",
            "[\(time)]", "{\"seconds\":\(time)}", "\(time)000",
        ]
    }

    private static let strange: [String] = [
        "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740993", "1e10", "1e18",
        "1e19", "1e308", "1e309", "-1e309", "9223372036854775806", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "253402300800", "62135596800",
        "-62135596801", "0.0", "-0", "-0.0", "0e0", "\"2023-11-14T22:13:20Z\"", "\"\(TokenDraft.now)\"", "true",
        "false",
        String(repeating: "1", count: 4300),
    ]
}
