import HTTPWire
import Testing

@testable import SystemFixtures

struct HeadScanTests {
    @Test(arguments: validRequests) func `every split of a head has the same end`(text: String) {
        let bytes = Array((text + "GET /next").utf8)
        for split in 0...bytes.count {
            var scanned = 0
            let early = find(Array(bytes[..<split]), &scanned)
            #expect(early == (split >= text.utf8.count ? text.utf8.count : nil), "split at \(split)")
            if early == nil { #expect(find(bytes, &scanned) == text.utf8.count, "resumed at \(split)") }
        }
    }

    @Test(arguments: validRequests) func `a head in single bytes ends with its last byte`(text: String) {
        let bytes = Array(text.utf8)
        var scanned = 0
        for count in 1..<bytes.count { #expect(find(Array(bytes[..<count]), &scanned) == nil) }
        #expect(find(bytes, &scanned) == bytes.count)
    }

    @Test func `no byte is scanned twice`() {
        let bytes = [UInt8](repeating: 0x61, count: 1000)
        var scanned = 0
        #expect(find(bytes, &scanned) == nil)
        #expect(scanned == 1000)
    }

    @Test(arguments: ["GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "a: b\r\n\n"])
    func `bare line feeds end a head, which is rejected`(text: String) {
        var scanned = 0
        #expect(find(Array(text.utf8), &scanned) == text.utf8.count)
        #expect(refusal(text) != nil)
    }

    @Test func `an empty buffer has no end`() {
        var scanned = 0
        #expect(HeadScan.end(in: UnsafeRawBufferPointer(start: nil, count: 0), scanned: &scanned) == nil)
    }

    @Test func `the end of random bytes agrees with a plain search`() {
        var random = SeededRandom(seed: 3)
        let alphabet = Array("\r\n\r\n\r\na".utf8)
        for _ in 0..<Thoroughness.rounds(5_000, full: 20_000) {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var scanned = 0
            var found: Int?
            for count in 0...bytes.count where found == nil {
                found = bytes[..<count].withUnsafeBytes { HeadScan.end(in: $0, scanned: &scanned) }
            }
            #expect(found == plainEnd(bytes), "\(bytes)")
        }
    }

    private func plainEnd(_ bytes: [UInt8]) -> Int? {
        for index in bytes.indices where bytes[index] == 0x0A {
            let rest = bytes[(index + 1)...]
            if rest.starts(with: [0x0A]) { return index + 2 }
            if rest.starts(with: [0x0D, 0x0A]) { return index + 3 }
        }
        return nil
    }

    private func find(_ bytes: [UInt8], _ scanned: inout Int) -> Int? {
        bytes.withUnsafeBytes { HeadScan.end(in: $0, scanned: &scanned) }
    }
}
