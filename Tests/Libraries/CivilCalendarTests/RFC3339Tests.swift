import CivilCalendar
import Foundation
import Testing

struct RFC3339Tests {
    @Test func `texts are equal to Foundation's`() {
        let formatter = ISO8601DateFormatter()
        for unix in stride(from: Int64(-2_000_000_000), to: 8_000_000_000, by: 86_400 * 13 + 12_347) {
            #expect(RFC3339.text(unix) == formatter.string(from: Date(timeIntervalSince1970: Double(unix))))
            #expect(CivilTime(unix: unix).unix == unix)
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2024-02-29T12:00:00Z", 1_709_208_000),
        ("2026-01-31T09:00:00+02:00", 1_769_842_800), ("2026-01-31T09:00:00.123456Z", 1_769_850_000),
        ("2000-01-01t00:00:00z", 946_684_800), ("2026-01-31T09:00:00-00:30", 1_769_851_800),
    ])
    func `a time is read`(text: String, unix: Int64) {
        #expect(RFC3339.seconds(text) == unix)
    }

    @Test(arguments: [
        "", "2026-01-31", "2026-01-31T09:00:00", "2026-02-30T09:00:00Z", "2025-02-29T09:00:00Z", "2026-13-01T09:00:00Z",
        "2026-00-01T09:00:00Z", "2026-01-00T09:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:60:00Z",
        "2026-01-31T09:00:60Z", "2026-01-31T09:00:00.Z", "2026-01-31T09:00:00Zx", " 2026-01-31T09:00:00Z",
        "2026-01-31 09:00:00Z", "+2026-01-31T09:00:00Z", "2026-1-31T09:00:00Z", "2026-01-31T09:00:00+0200",
    ])
    func `other text is not a time`(text: String) {
        #expect(RFC3339.seconds(text) == nil)
    }
}
