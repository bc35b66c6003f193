import Testing

/// Hand-written cases of smuggling: what each parser makes of them, whole and byte by byte.
@Suite struct ClassicTests {
    @Test(arguments: Classic.all)
    func theClassicsOfSmuggling(classic: Classic) throws {
        let bytes = Array(1..<classic.stream.bytes.count)
        let nio = try NIOReader()
        for cuts in [[], bytes] {
            #expect(ClassicTests.verdict(OwnReader().read(classic.stream, cuts: cuts)) == classic.own, "ours")
            #expect(ClassicTests.verdict(nio.read(classic.stream, cuts: cuts)) == classic.nio, "NIO's")
        }
    }

    private static func verdict(_ reading: Reading) -> Classic.Verdict {
        if case .refused = reading.ending { .refused } else { .messages(reading.messages.count) }
    }
}

extension Classic: CustomTestStringConvertible {
    var testDescription: String { "\(name) (\(section))" }
}
