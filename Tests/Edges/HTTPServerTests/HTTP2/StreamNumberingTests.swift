import Testing

@testable import HTTPServer

@Suite struct StreamNumberingTests {
    @Test func `without late heads the numbers are those of the client`() {
        let numbering = StreamNumbering()
        #expect(numbering.isIdentity)
        #expect(numbering.number(of: 7) == 7 && numbering.stream(of: 7) == 7)
        #expect(numbering.number(of: 0x7FFF_FFFF) == 0x7FFF_FFFF)
    }

    @Test func `late heads get numbers between those of the streams before and after them`() {
        var numbering = StreamNumbering()
        // The highest streams of the client at each late head.
        let late = [1, 1, 3, 9].map { numbering.lateHead(after: $0) }
        #expect(late == [3, 5, 9, 17])
        let streams: [UInt32] = [1, 3, 5, 7, 9, 11, 13]
        let numbers = streams.compactMap { numbering.number(of: $0) }
        #expect(numbers == [1, 7, 11, 13, 15, 19, 21])
        #expect(numbers.map { numbering.stream(of: $0) } == streams)
        #expect(late.compactMap(\.self).allSatisfy { numbering.stream(of: $0) == nil })
    }

    @Test func `the number of late heads is bounded`() {
        var numbering = StreamNumbering()
        for index in 0..<StreamNumbering.maximum {
            #expect(numbering.isWorn == (index >= StreamNumbering.preferredMaximum))
            let number = numbering.lateHead(after: UInt32(index) * 2 + 1)
            #expect(number != nil)
        }
        let last = numbering.lateHead(after: 100_001)
        #expect(last == nil)
    }

    @Test func `a number above the highest is none`() {
        var numbering = StreamNumbering()
        let first = numbering.lateHead(after: 1)
        #expect(first == 3 && numbering.number(of: 0x7FFF_FFFF) == nil)
        #expect(numbering.number(of: 0x7FFF_FFFD) == 0x7FFF_FFFF)
        let last = numbering.lateHead(after: 0x7FFF_FFFD)
        #expect(last == nil)
    }
}
