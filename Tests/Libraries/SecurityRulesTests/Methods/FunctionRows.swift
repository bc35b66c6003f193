@testable import SecurityRules

extension MethodRow {
    private static let nan = RuleValue.float(.nan)
    private static let infinity = RuleValue.float(.infinity)

    static let math = [
        MethodRow(.mathAbs, -1, is: 1), MethodRow(.mathAbs, -1.5, is: 1.5),
        MethodRow(.mathAbs, .float(-.infinity), is: infinity), MethodRow(.mathAbs, .integer(.min), fails: .overflow),
        MethodRow(.mathAbs, "1", fails: .wrongKind), MethodRow(.mathCeil, 2.1, is: 3),
        MethodRow(.mathCeil, -2.7, is: -2), MethodRow(.mathCeil, .integer(.max), is: .integer(.max)),
        MethodRow(.mathCeil, 1e300, fails: .overflow), MethodRow(.mathCeil, nan, fails: .invalidArgument),
        MethodRow(.mathFloor, 2.7, is: 2), MethodRow(.mathFloor, -2.1, is: -3),
        MethodRow(.mathFloor, infinity, fails: .overflow), MethodRow(.mathRound, 2.4, is: 2),
        MethodRow(.mathRound, 2.5, is: 3), MethodRow(.mathRound, -2.5, is: -3), MethodRow(.mathRound, -0.4, is: 0),
        MethodRow(.mathRound, 9_223_372_036_854_775_808.0, fails: .overflow),
        MethodRow(.mathRound, -9_223_372_036_854_775_808.0, is: .integer(.min)), MethodRow(.mathPow, 2, 2, is: 4.0),
        MethodRow(.mathPow, 1.5, 2, is: 2.25), MethodRow(.mathPow, 4, 0.5, is: 2.0),
        MethodRow(.mathPow, -1, 0.5, is: nan), MethodRow(.mathPow, infinity, 2, is: infinity),
        MethodRow(.mathPow, 10, 400, fails: .overflow), MethodRow(.mathPow, 0, -1, fails: .overflow),
        MethodRow(.mathPow, 2, "2", fails: .wrongKind), MethodRow(.mathSqrt, 4, is: 2.0),
        MethodRow(.mathSqrt, 2.25, is: 1.5), MethodRow(.mathSqrt, -1, is: nan),
        MethodRow(.mathSqrt, nil, fails: .wrongKind), MethodRow(.mathIsNaN, nan, is: true),
        MethodRow(.mathIsNaN, 100, is: false), MethodRow(.mathIsNaN, infinity, is: false),
        MethodRow(.mathIsNaN, "NaN", fails: .wrongKind), MethodRow(.mathIsInfinite, infinity, is: true),
        MethodRow(.mathIsInfinite, .float(-.infinity), is: true), MethodRow(.mathIsInfinite, 100, is: false),
        MethodRow(.mathIsInfinite, .unreadable, fails: .unreadable),
    ]

    static let conversions = [
        MethodRow(.toInteger, "42", is: 42), MethodRow(.toInteger, "-42", is: -42), MethodRow(.toInteger, "+7", is: 7),
        MethodRow(.toInteger, "007", is: 7), MethodRow(.toInteger, 2.9, is: 2), MethodRow(.toInteger, -2.9, is: -2),
        MethodRow(.toInteger, 5, is: 5), MethodRow(.toInteger, "-9223372036854775808", is: .integer(.min)),
        MethodRow(.toInteger, "9223372036854775808", fails: .overflow), MethodRow(.toInteger, 1e300, fails: .overflow),
        MethodRow(.toInteger, nan, fails: .invalidArgument), MethodRow(.toInteger, "", fails: .invalidText),
        MethodRow(.toInteger, "+", fails: .invalidText), MethodRow(.toInteger, "+-1", fails: .invalidText),
        MethodRow(.toInteger, " 1", fails: .invalidText), MethodRow(.toInteger, "1.0", fails: .invalidText),
        MethodRow(.toInteger, "0x10", fails: .invalidText), MethodRow(.toInteger, "\u{663}", fails: .invalidText),
        MethodRow(.toInteger, true, fails: .wrongKind), MethodRow(.toInteger, nil, fails: .wrongKind),
        MethodRow(.toFloat, "1.5", is: 1.5), MethodRow(.toFloat, "-1e3", is: -1000.0),
        MethodRow(.toFloat, ".5", is: 0.5), MethodRow(.toFloat, "2.", is: 2.0), MethodRow(.toFloat, 2, is: 2.0),
        MethodRow(.toFloat, 2.5, is: 2.5), MethodRow(.toFloat, "1e-400", is: 0.0),
        MethodRow(.toFloat, "1e400", fails: .overflow), MethodRow(.toFloat, "nan", fails: .invalidText),
        MethodRow(.toFloat, "inf", fails: .invalidText), MethodRow(.toFloat, "0x1p3", fails: .invalidText),
        MethodRow(.toFloat, ".", fails: .invalidText), MethodRow(.toFloat, "1e", fails: .invalidText),
        MethodRow(.toFloat, "1 ", fails: .invalidText), MethodRow(.toFloat, "--1", fails: .invalidText),
        MethodRow(.toFloat, "", fails: .invalidText), MethodRow(.toFloat, [1], fails: .wrongKind),
        MethodRow(.toString, true, is: "true"), MethodRow(.toString, 1, is: "1"), MethodRow(.toString, 2.0, is: "2.0"),
        MethodRow(.toString, nil, is: "null"), MethodRow(.toString, "a", is: "a"), MethodRow(.toString, nan, is: "NaN"),
        MethodRow(.toString, .path("a", "b/c", "50%"), is: "/a/b%2Fc/50%25"), MethodRow(.toString, .path(), is: "/"),
        MethodRow(.toString, [1], fails: .wrongKind), MethodRow(.toString, .time(0), fails: .wrongKind),
        MethodRow(.toString, .unreadable, fails: .unreadable), MethodRow(.toBool, "true", is: true),
        MethodRow(.toBool, "false", is: false), MethodRow(.toBool, true, is: true),
        MethodRow(.toBool, "True", fails: .invalidText), MethodRow(.toBool, "1", fails: .invalidText),
        MethodRow(.toBool, "", fails: .invalidText), MethodRow(.toBool, 1, fails: .wrongKind),
    ]

    static let paths = [
        MethodRow(.toPath, "/a/b", is: .path("a", "b")), MethodRow(.toPath, "a/b/", is: .path("a", "b")),
        MethodRow(.toPath, "/", is: .path()), MethodRow(.toPath, "/a%2Fb/%25", is: .path("a/b", "%")),
        MethodRow(.toPath, .path("a"), is: .path("a")), MethodRow(.toPath, "", fails: .invalidText),
        MethodRow(.toPath, "//", fails: .invalidText), MethodRow(.toPath, "/a//b", fails: .invalidText),
        MethodRow(.toPath, "/a//", fails: .invalidText), MethodRow(.toPath, "/%4", fails: .invalidText),
        MethodRow(.toPath, "/%zz", fails: .invalidText), MethodRow(.toPath, "/%FF", fails: .invalidText),
        MethodRow(.toPath, .string(String(repeating: "/a", count: 101)), fails: .invalidText),
        MethodRow(.toPath, 1, fails: .wrongKind),
        MethodRow(
            .path("p", "$(foo)", "$(bar)"), .bind, ["foo": "x", "bar": "y/z"], is: .path("p", "x", "y/z")),
        MethodRow(.path("a", "$(rest)"), .bind, ["rest": .path("b", "c")], is: .path("a", "b", "c")),
        MethodRow(.path("a"), .bind, [:], is: .path("a")),
        MethodRow(.path("$(a)"), .bind, ["a": "$(b)", "b": "c"], is: .path("$(b)")),
        MethodRow(.path("$(foo)"), .bind, [:], fails: .noSuchMember),
        MethodRow(.path("$(foo)"), .bind, ["foo": 1], fails: .wrongKind),
        MethodRow(.path("$(foo)"), .bind, ["foo": ""], fails: .invalidArgument),
        MethodRow(.path("$(foo)"), .bind, ["foo": .unreadable], fails: .unreadable),
        MethodRow(.path("$(foo)"), .bind, "foo", fails: .wrongKind),
    ]

    static let hashing = [
        // RFC 1321 A.5 and FIPS 180-4. The last byte order of the checksums is the order of their usual text.
        MethodRow(.hashingMD5, "", is: hex("d41d8cd98f00b204e9800998ecf8427e")),
        MethodRow(.hashingMD5, "abc", is: hex("900150983cd24fb0d6963f7d28e17f72")),
        MethodRow(.hashingMD5, .bytes("message digest"), is: hex("f96b697d7cb7938d525a2f31aaf161d0")),
        MethodRow(.hashingMD5, 1, fails: .wrongKind),
        MethodRow(
            .hashingSHA256, "", is: hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")),
        MethodRow(
            .hashingSHA256, .bytes("abc"), is: hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
        MethodRow(
            .hashingSHA256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            is: hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")),
        MethodRow(.hashingSHA256, nil, fails: .wrongKind),
        MethodRow(.hashingCRC32, "123456789", is: hex("cbf43926")),
        MethodRow(.hashingCRC32, .bytes(""), is: hex("00000000")),
        MethodRow(.hashingCRC32, ["a"], fails: .wrongKind),
        MethodRow(.hashingCRC32C, "123456789", is: hex("e3069283")),
        // RFC 3720 B.4: 32 bytes of zeros, and of ones.
        MethodRow(.hashingCRC32C, .bytes([UInt8](repeating: 0, count: 32)), is: hex("8a9136aa")),
        MethodRow(.hashingCRC32C, .bytes([UInt8](repeating: 255, count: 32)), is: hex("62a8ab43")),
        MethodRow(.hashingCRC32C, .unreadable, fails: .unreadable),
    ]

    private static func hex(_ text: String) -> RuleValue {
        let digits = text.compactMap(\.hexDigitValue)
        return .bytes(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
