/// The body of `POST /mint`.
///
/// `{"user":"ada"}` is enough. `kind` is `id` or `session`; `auth_time` seconds since 1970, or `auth_age` seconds ago;
/// `expires_in` seconds, negative for an expired token; `claims` an object of further claims.
struct MintRequest {
    var user: DevelopmentUser
    var kind = FirebaseToken.Kind.idToken
    var authTime: Int64?
    var expiresIn: Int64?
    var claims = JSONObject()

    /// Why a body was not understood.
    struct Problem: Error {
        let text: String
    }

    private static let latest: Int64 = 100_000_000_000

    init(_ body: [UInt8], now: Int64) throws(Problem) {
        guard case .object(let object)? = JSON(parsing: body) else { throw Problem(text: "the body is no JSON object") }
        user = .ada
        for member in object.members {
            switch (member.name, member.value) {
            case ("user", .string(let name)) where (1...128).contains(name.count): user = .named(name)
            case ("kind", .string("id")): kind = .idToken
            case ("kind", .string("session")): kind = .sessionCookie
            case ("auth_time", .integer(let time)): authTime = try Self.bounded(time)
            case ("auth_age", .integer(let age)): authTime = now - (try Self.bounded(age))
            case ("expires_in", .integer(let seconds)): expiresIn = try Self.bounded(seconds)
            case ("claims", .object(let extra)): claims = extra
            default:
                throw Problem(text: "the member \"\(member.name)\" is unknown, or its value is not one it may have")
            }
        }
    }

    private static func bounded(_ seconds: Int64) throws(Problem) -> Int64 {
        guard (-latest...latest).contains(seconds) else { throw Problem(text: "a time beyond the year 5138") }
        return seconds
    }

    /// The token that was asked for.
    func token(project: String, now: Int64) -> FirebaseToken {
        var token =
            kind == .sessionCookie
            ? FirebaseToken.sessionCookie(for: user, project: project, now: now)
            : FirebaseToken.idToken(for: user, project: project, now: now)
        if let authTime { token = token.signedIn(at: authTime) }
        if let expiresIn { token = token.expiring(at: now + expiresIn) }
        return token.merging(claims)
    }
}
