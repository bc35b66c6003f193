import Testing

@testable import CoreFixtures

/// What may be wrong with any event's token.
struct EventFlaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (TokenDraft) -> TokenDraft

    init(_ description: String, _ change: @escaping @Sendable (TokenDraft) -> TokenDraft) {
        testDescription = description
        self.change = change
    }

    /// A claim with each of these values, which are JSON text.
    static func claim(_ name: String, _ values: [String?]) -> [EventFlaw] {
        values.map { value in EventFlaw("\(name): \(value ?? "missing")") { $0.with(name, value) } }
    }

    static func header(_ name: String, _ values: [String?]) -> [EventFlaw] {
        values.map { value in EventFlaw("header \(name): \(value ?? "missing")") { $0.withHeader(name, value) } }
    }

    static let all: [EventFlaw] = [headers, origin, times, names].flatMap { $0.flatMap { $0 } }

    private static let now = EventRig.now

    private static let headers = [
        header("kid", [nil, #""""#, #""another""#]),
        header("alg", ["HS256", "none", "PS256", "ES256"].map { "\"\($0)\"" }),
        header("typ", ["at+jwt", "id_token+jwt", "gatehouse-session+jwt", ""].map { "\"\($0)\"" }),
    ]

    private static let origin = [
        claim("iss", [nil, "7", #""https://id.evil.example""#, #""https://appleid.apple.com/""#]),
        claim("aud", [nil, "7", "[]", "{}", #""client-2""#, #"["client-2"]"#]),
    ]

    private static let times = [
        claim("iat", [nil, "null", #""1700000000""#, "1.5", "\(now + 6)"]),
        claim("exp", ["null", #""9999999999""#, "\(now)", "\(now - 1)"]),
        claim("nbf", ["null", "\(now + 6)"]),
    ]

    private static let names = [
        claim("jti", [nil, "null", "7", #""""#, "\"\(String(repeating: "j", count: 1025))\""]),
        claim("events", [nil, "null", "7", "[]", #""""#, #""{""#, #""[]""#, "{}", #""{}""#]),
    ]
}
