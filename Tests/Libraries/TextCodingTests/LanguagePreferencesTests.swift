import Testing
import TextCoding

/// The languages that a client prefers.
@Suite struct LanguagePreferencesTests {
    @Test(arguments: [
        ("de", ["de"]), ("DE-at , en;q=0.5", ["de-at", "en"]), ("en;q=0.1, de;q=0.9, fr", ["fr", "de", "en"]),
        ("en;q=0, de;q=0.000, *;q=0.001", ["*"]), ("de; Q=0.5", ["de"]), ("de;q=1.000,fr;q=0.9999", ["de"]),
        ("de;q=2, fr;q=1.1, it;q=x, es;q=, pt;level=1;q=1", []), ("d<script>, \u{E4}, ,;q=1", []), ("", []),
        ("de;q=0.5,en;q=0.5", ["de", "en"]),
    ])
    func `the preferences are the valid ranges by quality`(field: String, ranges: [String]) {
        #expect(LanguagePreferences(field).ranges == ranges)
    }

    @Test func `the size of the field and the number of ranges have bounds`() {
        #expect(LanguagePreferences(nil).ranges.isEmpty)
        let many = Array(repeating: "fr", count: LanguagePreferences.maximumRanges)
        #expect(LanguagePreferences((many + ["de"]).joined(separator: ",")).ranges == many)
        let spaces = String(repeating: " ", count: LanguagePreferences.maximumSize)
        #expect(LanguagePreferences("de" + spaces).ranges.isEmpty)
    }
}
