import Testing

@testable import Observability

struct ProcessUsageTests {
    /// Fields 14 and 15 are 200 and 50 ticks, 22 is 5025 ticks, 23 is 123456789 bytes, and 24 is 2 pages.
    static let stat = """
        42 (a ) name) S 1 42 42 0 -1 4194560 1 0 0 0 200 50 0 0 20 0 9 0 5025 123456789 2 18446744073709551615 1 1 0
        """
    private let units = ProcessUsage.Units(ticksPerSecond: 100, pageSize: 4096, bootTime: 1000)

    @Test func `a name with parentheses and spaces does not shift the fields`() throws {
        let usage = try #require(ProcessUsage(stat: Self.stat, units: units))
        #expect(usage.cpuSeconds == 2.5 && usage.startTime == 1050.25)
        #expect(usage.virtualBytes == 123_456_789 && usage.residentBytes == 8192)
    }

    @Test(arguments: [
        "", "42", "42 (name) S 1 2 3", ProcessUsageTests.stat.replacing("5025", with: "soon"),
        ProcessUsageTests.stat.replacing(" 2 18446744073709551615 1 1 0", with: ""),
    ])
    func `another format has no usage`(stat: String) {
        #expect(ProcessUsage(stat: stat, units: units) == nil)
    }

    #if os(Linux)
        @Test func `this process has memory, descriptors and a start in the past`() throws {
            let usage = try #require(ProcessUsage.current())
            #expect(usage.residentBytes > 1_000_000 && usage.virtualBytes > usage.residentBytes)
            #expect(usage.openDescriptors >= 3 && usage.descriptorLimit > usage.openDescriptors)
            #expect(usage.startTime > 1_600_000_000)
            #expect(usage.cpuSeconds > 0)
        }
    #endif
}
