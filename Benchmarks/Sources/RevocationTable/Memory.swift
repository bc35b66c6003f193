import Glibc

@testable import GatewayCore
@testable import Revocation

/// The memory of the process in MB (1,000,000 bytes), from /proc.
struct Memory {
    let resident: Int
    let peak: Int

    static func now() -> Memory {
        let status = read("/proc/self/status")
        return Memory(resident: value(of: "VmRSS:", in: status), peak: value(of: "VmHWM:", in: status))
    }

    /// Returns the time in nanoseconds of one random memory access that depends on the previous one. It is the lower
    /// bound of a lookup.
    static func accessTime(bytes: Int) -> UInt64 {
        let count = bytes / 8
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        defer { words.deallocate() }
        for index in 0..<count { words[index] = UInt64(index) & 1 }
        var state: UInt64 = 1
        let (clock, calls) = (GatewayClock.system, 2_000_000)
        let start = clock.monotonic()
        for _ in 0..<calls {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            state ^= words[Int(((state >> 32) &* UInt64(count)) >> 32)]
        }
        let time = clock.monotonic() - start
        precondition(state != 0)
        return time / UInt64(calls)
    }

    private static func value(of name: String, in status: String) -> Int {
        for line in status.split(separator: "\n") where line.hasPrefix(name) {
            let digits = line.filter(\.isNumber)
            return (Int(digits) ?? 0) * 1024 / 1_000_000
        }
        return 0
    }

    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
