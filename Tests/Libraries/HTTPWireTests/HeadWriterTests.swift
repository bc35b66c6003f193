import HTTPWire
import Testing

struct HeadWriterTests {
    private let source = Array("0123456789".utf8)

    private func range(_ lower: UInt32, _ upper: UInt32) -> ByteRange { ByteRange(start: lower, length: upper - lower) }

    /// Returns the output of a writer with room for `capacity` bytes. `nil` if the head does not fit.
    private func write(_ capacity: Int, _ fill: (inout HeadWriter) -> Void) -> String? {
        var output = [UInt8](repeating: 0x2A, count: capacity + 4)
        let count = source.withUnsafeBytes { source in
            output.withUnsafeMutableBytes { raw in
                var writer = HeadWriter(from: source, into: UnsafeMutableRawBufferPointer(rebasing: raw[..<capacity]))
                fill(&writer)
                return writer.finish()
            }
        }
        #expect(output[capacity...].allSatisfy { $0 == 0x2A }, "wrote beyond its output")
        return count.map { String(decoding: output[..<$0], as: UTF8.self) }
    }

    private func mixed(_ writer: inout HeadWriter) {
        writer.keep(range(0, 2))
        writer.keep(range(2, 4))
        writer.append("<")
        writer.keep(range(4, 5))
        writer.append(Array("ab".utf8))
        writer.append(0x2D)
        writer.append(decimal: 1_230)
        writer.append(decimal: 0)
        writer.keep(range(7, 10))
        writer.keep(range(0, 1))
        writer.keep(range(3, 3))
        Array("yz".utf8).withUnsafeBytes { writer.append($0) }
    }

    @Test func `ranges and bytes are written in order`() {
        #expect(write(64, mixed) == "0123<4ab-123007890yz")
    }

    @Test func `bytes that do not fit are only counted`() {
        for capacity in 0..<20 { #expect(write(capacity, mixed) == nil) }
        #expect(write(20, mixed) != nil)
    }

    @Test func `an empty output measures the head`() {
        source.withUnsafeBytes { source in
            var writer = HeadWriter(from: source, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            mixed(&writer)
            #expect(writer.count == 20)
        }
    }

    @Test func `a writer without input writes nothing`() {
        #expect(write(0) { _ in } == "")
        #expect(write(4) { $0.keep(.empty) } == "")
    }

    @Test(arguments: [0, 9, 10, 99, 100, UInt64.max]) func `numbers are decimal`(number: UInt64) {
        #expect(write(20) { $0.append(decimal: number) } == String(number))
    }

    @Test func `the other fields of a head stay unchanged`() throws {
        let request = try ParsedRequest(get("A: 1", "Connection: close", "b:2", "C:\t3 "))
        var output = [UInt8](repeating: 0, count: 256)
        let count = request.bytes.withUnsafeBytes { head in
            output.withUnsafeMutableBytes { raw in
                var writer = HeadWriter(from: head, into: raw)
                for index in 0..<request.fields.count where !request.fields[index].isHopByHop {
                    writer.keep(request.fields[index].line)
                }
                return writer.finish() ?? 0
            }
        }
        #expect(String(decoding: output[..<count], as: UTF8.self) == "Host: a.example\r\nA: 1\r\nb:2\r\nC:\t3 \r\n")
    }
}
