import Testing

@testable import SecurityRules
@testable import SystemFixtures

/// Compares with the simplest matcher, for thousands of small patterns and texts.
@Suite struct RegexNaiveTests {
    @Test(arguments: 1...4) func `a whole text matches if the naive matcher matches it`(seed: UInt64) throws {
        var generator = RegexGenerator(seed: seed, repeatsEmpty: true)
        var verdicts = [true: 0, false: 0]
        for _ in 0..<Thoroughness.rounds(250, full: 1000) {
            let regex = generator.pattern()
            let pattern = regex.pattern
            let (words, threads) = (try RuleRegex(pattern), try RuleRegex(#"\b\B|"# + pattern))
            for _ in 0..<4 {
                let text = generator.text()
                let expected = regex.ends(text, 0).contains(text.count)
                verdicts[expected, default: 0] += 1
                var work = WorkBudget()
                #expect(try words.matches(String(text), &work) == expected, "\(pattern) on \(String(text))")
                #expect(try threads.matches(String(text), &work) == expected, "\(pattern) on \(String(text)), threads")
            }
        }
        #expect(verdicts.values.allSatisfy { $0 > Thoroughness.rounds(75, full: 300) }, "\(verdicts)")
    }

    @Test(arguments: 5...8) func `the preferred matches are replaced`(seed: UInt64) throws {
        var generator = RegexGenerator(seed: seed, repeatsEmpty: false)
        for _ in 0..<Thoroughness.rounds(250, full: 1000) {
            let regex = generator.pattern()
            let compiled = try RuleRegex("(?:" + regex.pattern + ")()")
            for _ in 0..<2 {
                let text = generator.text()
                var work = WorkBudget()
                let found = try compiled.replaceAll(in: String(text), with: #"<\0|\1>"#, &work)
                #expect(found == regex.replaced(text), "\(regex.pattern) in \(String(text))")
            }
        }
    }
}
