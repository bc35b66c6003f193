@testable import CoreFixtures

/// The tokens that the SDKs' own tests begin with.
extension SDKCase {
    /// Node.js: claims `one` and `two`, issued at second 1 of the epoch, for an hour.
    static let node = SDKCase(
        [
            "iss": "\"https://securetoken.google.com/project_id\"", "aud": "\"project_id\"", "sub": "\"someUid\"",
            "iat": "1", "auth_time": "1", "exp": "3601", "one": "\"uno\"", "two": "\"dos\"",
        ], project: "project_id", now: 1)

    /// Python's, with the `auth_time` that Firebase writes; a row takes it out.
    static let python = SDKCase(mock, project: "mock-project-id", now: ManualClock.start)

    /// Go, whose skew is 300 s and no setting.
    static let go: SDKCase = {
        var fixture = python
        fixture.skew = 60
        return fixture
    }()

    /// Java: a clock at 2,002,000 s and an issuer of the test's own.
    static let java: SDKCase = {
        let now: Int64 = 2_002_000
        var fixture = SDKCase(
            [
                "iss": "\"https://test.token.issuer\"", "aud": "\"proj-test-101\"", "sub": "\"someUid\"",
                "iat": "\(now)", "auth_time": "\(now)", "exp": "\(now + 3600)",
            ], project: "proj-test-101", now: now)
        fixture.issuer = "https://test.token.issuer"
        return fixture
    }()

    private static let mock = [
        "iss": "\"https://securetoken.google.com/mock-project-id\"", "aud": "\"mock-project-id\"",
        "sub": "\"1234567890\"", "iat": "\(ManualClock.start - 100)", "auth_time": "\(ManualClock.start - 100)",
        "exp": "\(ManualClock.start + 3600)", "admin": "true", "firebase": #"{"sign_in_provider":"provider"}"#,
    ]

    static let customTokenAudience =
        "\"https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit\""

    /// What a service signs for its own users, in place of an ID token.
    mutating func becomeCustomToken() {
        draft.header["kid"] = nil
        draft.claims = [
            "aud": Self.customTokenAudience, "iss": "\"service@account\"", "sub": "\"service@account\"",
            "uid": "\"someUid\"", "iat": "\(now)", "exp": "\(now + 3600)",
        ]
    }

    /// Its form of before 2016.
    mutating func becomeLegacyCustomToken() {
        draft.header = ["alg": "\"HS256\"", "typ": "\"JWT\""]
        draft.claims = ["v": "0", "d": #"{"uid":"someUid"}"#, "iat": "\(now)"]
    }
}
