import Testing

@testable import SecurityRules

@Suite struct CaseVariantsTests {
    private func variants(_ scalar: UInt32) -> Set<UInt32> {
        let variants = CaseVariants(of: scalar)
        return Set((0..<variants.count).map { variants[$0] })
    }

    @Test func `a scalar has the same variants as its variants`() {
        for scalar in UInt32(0)...0x1_F000 where CaseVariants(of: scalar).count > 1 {
            let own = variants(scalar)
            for variant in own where variant != scalar {
                #expect(variants(variant) == own, "\(String(scalar, radix: 16)) and \(String(variant, radix: 16))")
            }
        }
    }

    @Test(arguments: [
        "kK\u{212A}", "Ssſ", "ßẞ", "σςΣ", "\u{1C4}\u{1C5}\u{1C6}", "\u{1C5}\u{1C4}\u{1C6}", "θΘϑϴ", "ιΙ\u{345}\u{1FBE}",
        "ı", "İ", "5", "@", "[", "漢", "\u{1FB3}\u{1FBC}", "\u{13A0}\u{AB70}", "вВ\u{1C80}",
    ])
    func `a scalar has its variants and no others`(all: String) throws {
        let first = try #require(all.unicodeScalars.first)
        #expect(variants(first.value) == Set(all.unicodeScalars.map(\.value)))
    }

    /// Variants in ASCII are computed separately from all others.
    @Test(arguments: [
        "a-cX", "ſ", "\u{212A}", "^k", #"\W"#, #"^\W"#, "[:^upper:]", "^[:upper:]x", "é-ü0-9", #"^\x{80}-\x{10FFFF}"#,
    ])
    func `brackets fold the case of ASCII as of other scalars`(inside: String) throws {
        let byRanges = try RuleRegex("(?i)[\(inside)]")
        // A category without any of these texts, so that the set tests each scalar.
        let byScalars = try RuleRegex("(?i)[\(inside)\\p{Zl}]")
        for value in UInt32(0)..<0x80 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var work = WorkBudget()
            let text = String(Character(scalar))
            #expect(try byRanges.matches(text, &work) == byScalars.matches(text, &work), "\(text)")
        }
    }
}
