extension DevelopmentUser {
    /// Google Workspace, verified e-mail address, `role: admin`.
    public static let ada = DevelopmentUser(
        uid: "ada", name: "Ada Lovelace", email: "ada@example.com", picture: "https://example.com/ada.png",
        signInProvider: "google.com", identities: ["google.com": ["104242424242424242424"]],
        customClaims: ["role": "admin"], hostedDomain: "example.com")

    /// E-mail and password, unverified address, no custom claims.
    public static let grace = DevelopmentUser(uid: "grace", email: "grace@example.com", isEmailVerified: false)

    /// Apple with a private-relay address, without a name.
    public static let alan = DevelopmentUser(
        uid: "alan", email: "x7qk2@privaterelay.appleid.com", signInProvider: "apple.com",
        identities: ["apple.com": ["000123.0123456789abcdef0123456789abcdef.0123"]])

    /// Microsoft; the identity is an Entra object ID.
    public static let barbara = DevelopmentUser(
        uid: "barbara", name: "Barbara Liskov", email: "barbara@contoso.example", isEmailVerified: false,
        signInProvider: "microsoft.com", identities: ["microsoft.com": ["8eaef023-2b34-4da1-9baa-8bc8c9d6a490"]])

    /// Microsoft with a personal account; the identity is its 16 digits, not the object ID.
    public static let hedy = DevelopmentUser(
        uid: "hedy", name: "Hedy Lamarr", email: "hedy@outlook.example", isEmailVerified: false,
        signInProvider: "microsoft.com", identities: ["microsoft.com": ["4b2eabcdef012345"]])

    /// GitHub; the identity is a number, as a string.
    public static let linus = DevelopmentUser(
        uid: "linus", email: "linus@users.noreply.example", isEmailVerified: false,
        picture: "https://example.com/linus.png", signInProvider: "github.com",
        identities: ["github.com": ["583231"]])

    /// Facebook, unverified address.
    public static let dennis = DevelopmentUser(
        uid: "dennis", name: "Dennis Ritchie", email: "dennis@example.com", isEmailVerified: false,
        signInProvider: "facebook.com", identities: ["facebook.com": ["1234567890"]])

    /// Phone only.
    public static let margaret = DevelopmentUser(
        uid: "margaret", phoneNumber: "+15550001111", signInProvider: "phone")

    /// SAML with a second factor, in the tenant `corp-abc12`.
    public static let edsger = DevelopmentUser(
        uid: "edsger", email: "edsger@corp.example", signInProvider: "saml.corp",
        identities: ["saml.corp": ["edsger@corp.example"]], tenant: "corp-abc12", secondFactor: "totp")

    /// A user of a custom token with developer claims.
    public static let robot = DevelopmentUser(
        uid: "robot", signInProvider: "custom", customClaims: ["premium": true, "role": "ops"])

    /// Anonymous sign-in.
    public static let guest = DevelopmentUser(
        uid: "guest", signInProvider: "anonymous", customClaims: ["provider_id": "anonymous"])

    /// All named users, in the order of the documentation.
    public static let all: [DevelopmentUser] = [
        ada, grace, alan, barbara, hedy, linus, dennis, margaret, edsger, robot, guest,
    ]

    /// Returns the named user with that uid, otherwise a password user with that uid.
    public static func named(_ uid: String) -> DevelopmentUser {
        all.first { $0.uid == uid } ?? DevelopmentUser(uid: uid)
    }
}
