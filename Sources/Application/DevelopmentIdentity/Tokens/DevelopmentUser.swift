/// A person who can sign in at the development identity.
///
/// What is set here goes to the claims where Firebase puts it; everything can be changed once more on the token.
public struct DevelopmentUser: Sendable, Hashable {
    /// The uid, which becomes `sub` and `user_id`.
    public var uid: String
    /// `name`; absent by default.
    public var name: String?
    /// `email`; `email_verified` goes with it.
    public var email: String?
    /// `email_verified`, written only where there is an e-mail address.
    public var isEmailVerified: Bool
    /// `phone_number` in E.164 form.
    public var phoneNumber: String?
    /// `picture`, a URL.
    public var picture: String?
    /// `firebase.sign_in_provider`.
    public var signInProvider: String
    /// The user's ids at the providers, which become `firebase.identities` together with the e-mail address and number.
    public var identities: JSONObject
    /// Claims that an administrator gave the user; they are written at the top level.
    public var customClaims: JSONObject
    /// `firebase.tenant`.
    public var tenant: String?
    /// `firebase.sign_in_second_factor`, such as `phone` or `totp`.
    public var secondFactor: String?
    /// The Workspace domain of the user's Google account: `hd` of Google's own tokens.
    public var hostedDomain: String?

    /// A user with the given properties.
    public init(
        uid: String, name: String? = nil, email: String? = nil, isEmailVerified: Bool = true,
        phoneNumber: String? = nil, picture: String? = nil, signInProvider: String = "password",
        identities: JSONObject = [:], customClaims: JSONObject = [:], tenant: String? = nil,
        secondFactor: String? = nil,
        hostedDomain: String? = nil
    ) {
        self.uid = uid
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.phoneNumber = phoneNumber
        self.picture = picture
        self.signInProvider = signInProvider
        self.identities = identities
        self.customClaims = customClaims
        self.tenant = tenant
        self.secondFactor = secondFactor
        self.hostedDomain = hostedDomain
    }
}
