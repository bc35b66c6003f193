import Authentication
import SecurityRules

/// Who makes a request in a test: what their token would say.
package struct RuleTestUser: Sendable {
    /// What the file calls them; nil for one that stands in a test itself.
    package let name: String?
    /// Their uid.
    package let uid: String
    /// `firebase.sign_in_provider`.
    let signInProvider: String
    /// What the file says of `token`.
    let claims: [(key: String, value: RuleValue)]
    /// How many seconds before the request they signed in; nil: the token does not say.
    let signedIn: Int64?
    /// How many seconds before the request the store knows them to have signed in again; nil: it knows of nothing.
    let reauthenticated: Int64?
    let hasSecondFactor: Bool

    /// How far in the future a sign-in may seem to be, in seconds: the default of `identity.clock_skew`.
    private static let clockSkew: Int64 = 5
    /// How long an ID token of Firebase counts, in seconds.
    private static let lifetime: Int64 = 3600

    /// The `auth` variable at a time, in seconds since 1970.
    func variable(at time: Int64) -> RuleValue {
        .map(
            RuleMap([
                ("uid", .string(uid)), ("provider", .string(Principal.shortName(of: signInProvider))),
                ("token", .map(token(at: time))),
            ]))
    }

    /// What rules ask of the sign-in.
    func signIn(at time: Int64) -> RuleSignIn {
        var authTime: Int64?
        if case .integer(let seconds)? = token(at: time)["auth_time"] { authTime = seconds }
        return RuleSignIn(
            authTime: authTime, record: .read(reauthenticated.map { Self.time(time, before: $0) }),
            hasSecondFactor: hasSecondFactor, clockSkew: Self.clockSkew)
    }

    /// What Firebase puts into every token, and over it what the file says.
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
        // What is no mapping stands as it is: so do hostile tokens.
        guard case .map(let own) = own else { return own }
        return .map(RuleMap(members + own.entries))
    }

    private static func isFirebase(_ key: String) -> Bool { key == "firebase" }

    private static func time(_ time: Int64, before seconds: Int64) -> Int64 {
        let (result, isBeyond) = time.subtractingReportingOverflow(seconds)
        return isBeyond ? 0 : result
    }
}
