import Testing

@testable import Authentication

@Suite struct CacheControlTests {
    /// The first rows are tests of the Go SDK.
    @Test(
        arguments: [
            ("max-age=100", 100), ("public, max-age=100", 100), ("public,max-age=100", 100),
            ("public, max-age=100, must-revalidate, no-transform", 100), ("", 0), ("max-age 100", 0),
            ("max-age: 100", 0),
            ("max-age2=100", 0), ("max-age=foo", 0), ("private,", 0), ("Max-Age=100", 100), ("MAX-AGE=100", 100),
            ("max-age=\"100\"", 100), ("\tmax-age=100 ", 100), ("max-age=", 0), ("max-age=-1", 0), ("max-age=+5", 0),
            ("max-age=1.5", 0), ("max-age=1 0", 0), ("max-age=\"", 0), ("max-age", 0), ("max-age=10, max-age=99", 10),
            ("max-age=x, max-age=99", 0), ("max-age=99999999999999999999999999999", .max), ("no-store, max-age=100", 0),
            ("max-age=100, no-cache", 0), ("No-Store, max-age=5", 0), ("private=\"a, max-age=7\", max-age=100", 100),
        ] as [(String, UInt64)])
    func `max-age is the first number of a response that may be stored`(value: String, seconds: UInt64) {
        #expect(CacheControl.maxAge(value) == seconds)
    }

    @Test(
        arguments: [
            ("30", 70), ("100", 0), ("101", 0), (nil, 100), ("", 100), ("x", 100), ("-5", 100), ("1, 2", 100),
        ] as [(String?, UInt64)])
    func `the age is subtracted if it is a number`(age: String?, seconds: UInt64) {
        #expect(CacheControl.freshness(cacheControl: "max-age=100", age: age) == seconds)
        #expect(CacheControl.freshness(cacheControl: nil, age: age) == 0)
    }
}
