import Testing

@testable import Authentication

@Suite struct CacheControlTests {
    @Test(
        "max-age is found as the Go SDK finds it",
        arguments: [
            ("max-age=100", 100), ("public, max-age=100", 100), ("public,max-age=100", 100),
            ("public, max-age=100, must-revalidate, no-transform", 100), ("", 0), ("max-age 100", 0),
            ("max-age: 100", 0), ("max-age2=100", 0), ("max-age=foo", 0), ("private,", 0),
        ] as [(String, UInt64)])
    func findsMaxAgeAsTheGoSDK(value: String, seconds: UInt64) {
        #expect(CacheControl.maxAge(value) == seconds)
    }

    @Test(arguments: ["Max-Age=100", "MAX-AGE=100", "max-age=\"100\"", "\tmax-age=100 "])
    func caseQuotesAndWhitespaceDoNotMatter(value: String) {
        #expect(CacheControl.maxAge(value) == 100)
    }

    @Test(arguments: ["max-age=", "max-age=-1", "max-age=+5", "max-age=1.5", "max-age=1 0", "max-age=\"", "max-age"])
    func whatIsNotANumberIsNoLifetime(value: String) {
        #expect(CacheControl.maxAge(value) == 0)
    }

    @Test func theFirstOfTwoCounts() {
        #expect(CacheControl.maxAge("max-age=10, max-age=99") == 10)
        #expect(CacheControl.maxAge("max-age=x, max-age=99") == 0)
    }

    @Test func aNumberTooLargeIsAsLongAsCanBeTold() {
        #expect(CacheControl.maxAge("max-age=99999999999999999999999999999") == .max)
    }

    @Test(arguments: ["no-store, max-age=100", "max-age=100, no-cache", "No-Store, max-age=5"])
    func whatMayNotBeKeptHasNoLifetime(value: String) {
        #expect(CacheControl.maxAge(value) == 0)
    }

    @Test func aCommaInAQuotedStringDoesNotEndADirective() {
        #expect(CacheControl.maxAge("private=\"a, max-age=7\", max-age=100") == 100)
    }

    @Test func theAgeIsSubtracted() {
        #expect(CacheControl.freshness(cacheControl: "max-age=100", age: "30") == 70)
        #expect(CacheControl.freshness(cacheControl: "max-age=100", age: "100") == 0)
        #expect(CacheControl.freshness(cacheControl: "max-age=100", age: "101") == 0)
    }

    @Test(arguments: [nil, "", "x", "-5", "1, 2"])
    func anAgeThatIsNotANumberCountsAsAbsent(age: String?) {
        #expect(CacheControl.freshness(cacheControl: "max-age=100", age: age) == 100)
    }

    @Test func noFieldIsNoLifetime() {
        #expect(CacheControl.freshness(cacheControl: nil, age: "5") == 0)
    }
}
