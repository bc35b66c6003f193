import Authentication
import SecurityRules

/// The user of a test's request: the claims of the token.
package struct RuleTestUser: Sendable {
    /// The name in the file. `nil` for a user defined in a test.
    package let name: String?
    /// The uid.
    package let uid: String
    /// `firebase.sign_in_provider`.
    let signInProvider: String
    /// The Firebase project. `nil` without one.
    let project: String?
    /// The `token` claims of the file.
    let claims: [(key: String, value: RuleValue)]
    /// The age of the sign-in in seconds. `nil` if the token does not state it.
    let signedIn: Int64?
    /// The age of a recorded later sign-in in seconds. `nil` without a record.
    let reauthenticated: Int64?
    let hasSecondFactor: Bool

    /// The tolerance for a sign-in in the future, in seconds: the default of `identity.clock_skew`.
    private static let clockSkew: Int64 = 5
    /// The lifetime of a Firebase ID token, in seconds.
    private static let lifetime: Int64 = 3600

    /// Returns the `auth` variable at a time, in seconds since 1970.
    func variable(at time: Int64) -> RuleValue {
        .map(
            RuleMap([
                ("uid", .string(uid)), ("provider", .string(Principal.shortName(of: signInProvider))),
                ("project", project.map { .string($0) } ?? .null), ("token", .map(token(at: time))),
            ]))
    }

    /// Returns the sign-in for rules.
    func signIn(at time: Int64) -> RuleSignIn {
        var authTime: Int64?
        if case .integer(let seconds)? = token(at: time)["auth_time"] { authTime = seconds }
        return RuleSignIn(
            authTime: authTime, record: .read(reauthenticated.map { Self.time(time, before: $0) }),
            hasSecondFactor: hasSecondFactor, clockSkew: Self.clockSkew)
    }

    /// Returns the claims that Firebase adds to every token, overridden by the file's.
    private func token(at time: Int64) -> RuleMap {
        var claims: [(key: String, value: RuleValue)] = [
            ("sub", .string(uid)), ("user_id", .string(uid)), ("iat", .integer(time)),
            ("exp", .integer(Self.time(time, before: -Self.lifetime))),
        ]
        if let signedIn { claims.append(("auth_time", .integer(Self.time(time, before: signedIn)))) }
        claims += self.claims.filter { !Self.isFirebase($0.key) }
        claims.append(("firebase", firebase))
        return RuleMap(claims)
    }

    private var firebase: RuleValue {
        var members: [(key: String, value: RuleValue)] = [
            ("sign_in_provider", .string(signInProvider)), ("identities", .map(RuleMap([]))),
        ]
        if hasSecondFactor { members.append(("sign_in_second_factor", .string("totp"))) }
        guard let own = claims.first(where: { Self.isFirebase($0.key) })?.value else { return .map(RuleMap(members)) }
        // A value that is not a mapping is kept, to test hostile tokens.
        guard case .map(let own) = own else { return own }
        return .map(RuleMap(members + own.entries))
    }

    private static func isFirebase(_ key: String) -> Bool { key == "firebase" }

    private static func time(_ time: Int64, before seconds: Int64) -> Int64 {
        let (result, isBeyond) = time.subtractingReportingOverflow(seconds)
        return isBeyond ? 0 : result
    }
}
