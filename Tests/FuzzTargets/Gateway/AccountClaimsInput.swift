#if DEBUG || FUZZING
    internal import WireFuzzTargets

    /// An input of `fuzzAccountClaims` that follows from a number alone: calls with claims at the edges of their types.
    public func accountClaimsInput(_ number: UInt64) -> [UInt8] {
        var seed = withUnsafeBytes(of: number) { InputSeed($0) }
        let lines = (0..<Int.random(in: 1...4, using: &seed)).map { _ in line(&seed) }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private func line(_ seed: inout InputSeed) -> String {
        let call = calls.randomElement(using: &seed) ?? ""
        let source = FuzzedSource.allCases.randomElement(using: &seed) ?? .oidc
        let names = source == .facebook ? facebookNames : source == .github ? gitHubNames : claimNames
        let changes = (0..<Int.random(in: 1...4, using: &seed)).map { _ in
            "\(names.randomElement(using: &seed) ?? "")=\(value(&seed))"
        }
        let isPlain = Int.random(in: 0..<4, using: &seed) == 0
        return ([call, source.rawValue] + changes + (isPlain ? ["plain"] : [])).joined(separator: " ")
    }

    private let calls = [
        "request", "event", "logout", "sign-in", "reauthenticate", "reauthenticate", "session", "link",
    ]
    private let claimNames = ["iat", "auth_time", "exp", "nbf", "sub", "aud", "events", "jti", "amr"]
    private let facebookNames = ["issued_at", "expires_at", "user_id", "is_valid"]
    private let gitHubNames = ["created_at", "expires_at", "user", "app", "scopes"]

    private let edges = [
        "-9223372036854775808", "-9223372036854775807", "9223372036854775807", "9223372036854775806",
        "9223372036854775808", "-9223372036854775809", "18446744073709551615", "99999999999999999999999", "1e18",
        "9.3e18", "-9.3e18", "1e19", "1e308", "-1e308", "1e999", "5e-324", "0.5", "-0.5", "-0", "0", "-1", "1",
        "100000000000", "100000000001", "99999999999", "253402300799", "2147483647", "4294967296",
        "9007199254740993", "-62135596800", "true", "null", "[]", "{}", "\"\"", "\"1\"", "\"-9223372036854775808\"",
        "\"0001-01-01T00:00:00Z\"", "\"0000-12-31T23:59:59Z\"", "\"9999-12-31T23:59:59-23:59\"",
        "\"1969-12-31T23:59:59Z\"", "\"2026-11-22T12:00:00.5+14:00\"", "",
    ]

    private func value(_ seed: inout InputSeed) -> String {
        switch Int.random(in: 0..<5, using: &seed) {
        case 0: "\(FuzzedGateway.now &+ Int64.random(in: -400...400, using: &seed))"
        case 1: "\(Int64.random(in: .min ... .max, using: &seed))"
        case 2: "\(Double(sign: .plus, exponent: Int.random(in: -40...70, using: &seed), significand: 1.5))"
        default: edges.randomElement(using: &seed) ?? "0"
        }
    }
#endif
