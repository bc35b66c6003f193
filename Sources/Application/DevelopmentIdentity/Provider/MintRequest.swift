/// The body of `POST /mint`.
///
/// `{"user":"ada"}` is sufficient for a Firebase ID token. `kind` is `id`, `session` (Firebase) or `access`.
/// `auth_time` is in seconds since 1970, or `auth_age` in seconds ago. `expires_in` is in seconds, negative for an
/// expired token. `claims` is an object of additional claims.
///
/// `provider` requests a provider's own token: `apple.com`, `google.com`, `microsoft.com`, `facebook.com`, `yahoo.com`,
/// `linkedin.com` or `oidc.NAME`, with optional `audience`, `issuer` and `nonce`. `github.com`, `oauth.NAME`, and
/// `facebook.com` with `"kind":"access"` request an opaque token that the provider then accepts, issued to the client
/// `audience`. `claims` are then members of the endpoint's response.
///
/// `event` requests an event of a provider's server about the user. `logout` is a logout token of any provider that
/// issues ID tokens. Any other value is a notification of that type by `apple.com`; its `events` are an object instead
/// of text with `"events_as_text":false`. `claims` are then claims of that token.
struct MintRequest {
    enum Kind: String {
        case id
        case session
        case access
    }

    var user = DevelopmentUser.ada
    var kind: Kind?
    var provider: String?
    var audience: String?
    var issuer: String?
    var nonce: String?
    var event: String?
    var eventsAsText: Bool?
    var authTime: Int64?
    var expiresIn: Int64?
    var claims = JSONObject()

    /// The reason why a body is invalid.
    struct Problem: Error {
        let text: String
    }

    private static let latest: Int64 = 100_000_000_000

    init(_ body: [UInt8], now: Int64) throws(Problem) {
        guard let object = JSONObject(parsing: body) else { throw Problem(text: "the body is not a JSON object") }
        for member in object.members {
            switch (member.name, member.value) {
            case ("user", .string(let name)) where (1...128).contains(name.count): user = .named(name)
            case ("kind", .string(let name)) where Kind(rawValue: name) != nil: kind = Kind(rawValue: name)
            case ("provider", .string(let id)): provider = id
            case ("audience", .string(let text)): audience = text
            case ("issuer", .string(let text)): issuer = text
            case ("nonce", .string(let text)): nonce = text
            case ("event", .string(let name)) where (1...128).contains(name.count): event = name
            case ("events_as_text", .bool(let isText)): eventsAsText = isText
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
}
