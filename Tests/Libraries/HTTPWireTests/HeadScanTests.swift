import HTTPWire
import Testing

@Suite struct HeadScanTests {
    @Test(arguments: validRequests)
    func everySplitOfAHeadFindsTheSameEnd(text: String) {
        let bytes = Array((text + "GET /next").utf8)
        for split in 0...bytes.count {
            var scanned = 0
            let early = find(Array(bytes[..<split]), &scanned)
            #expect(early == (split >= text.utf8.count ? text.utf8.count : nil), "split at \(split)")
            if early == nil { #expect(find(bytes, &scanned) == text.utf8.count, "resumed at \(split)") }
        }
    }

    @Test(arguments: validRequests)
    func aHeadThatDripsByteByByteIsFoundWithItsLastByte(text: String) {
        let bytes = Array(text.utf8)
        var scanned = 0
        for count in 1..<bytes.count { #expect(find(Array(bytes[..<count]), &scanned) == nil) }
        #expect(find(bytes, &scanned) == bytes.count)
    }

    @Test func noByteButALineEndIsSearchedTwice() {
        let bytes = [UInt8](repeating: 0x61, count: 1000)
        var scanned = 0
        #expect(find(bytes, &scanned) == nil)
        #expect(scanned == 1000)
    }

    @Test(arguments: ["GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "a: b\r\n\n"])
    func bareLineFeedsEndAHeadSoThatItIsRefusedAtOnce(text: String) {
        var scanned = 0
        #expect(find(Array(text.utf8), &scanned) == text.utf8.count)
        #expect(refusal(text) != nil)
    }

    @Test func noBytesHaveNoEnd() {
        var scanned = 0
        #expect(HeadScan.end(in: UnsafeRawBufferPointer(start: nil, count: 0), scanned: &scanned) == nil)
    }

    private func find(_ bytes: [UInt8], _ scanned: inout Int) -> Int? {
        bytes.withUnsafeBytes { HeadScan.end(in: $0, scanned: &scanned) }
    }
}
