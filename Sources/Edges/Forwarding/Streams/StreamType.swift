import HTTPWire

/// Which answers go on for as long as both sides like, by their `Content-Type`.
enum StreamType {
    /// Event streams, gRPC, and images that replace each other.
    @inline(__always)
    static func isStream(_ type: UnsafeRawBufferPointer) -> Bool {
        guard type.count >= 16 else { return false }
        switch type[0] | 0x20 {
        case UInt8(ascii: "t"): return begins(type, "text/event-stream")
        case UInt8(ascii: "a"): return begins(type, "application/grpc")
        case UInt8(ascii: "m"): return begins(type, "multipart/x-mixed-replace")
        default: return false
        }
    }

    private static func begins(_ type: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        return type.count >= count && ASCII.equals(UnsafeRawBufferPointer(rebasing: type[..<count]), text)
    }
}
