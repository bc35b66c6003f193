/// A person who can sign in at the development identity.
///
/// The properties become claims in the same places as at Firebase. All claims can be changed on the token.
public struct DevelopmentUser: Sendable, Hashable {
    /// The uid, which becomes `sub` and `user_id`.
    public var uid: String
    /// `name`. Default: absent.
    public var name: String?
    /// `email`, written together with `email_verified`.
    public var email: String?
    /// `email_verified`, written only with an e-mail address.
    public var isEmailVerified: Bool
    /// `phone_number` in E.164 form.
    public var phoneNumber: String?
    /// `picture`, a URL.
    public var picture: String?
    /// `firebase.sign_in_provider`.
    public var signInProvider: String
    /// The user's IDs at the providers. Together with e-mail address and phone number they become
    /// `firebase.identities`.
    public var identities: JSONObject
    /// The user's custom claims, written at the top level.
    public var customClaims: JSONObject
    /// `firebase.tenant`.
    public var tenant: String?
    /// `firebase.sign_in_second_factor`, for example `phone` or `totp`.
    public var secondFactor: String?
    /// The Workspace domain of the user's Google account: `hd` of Google's own tokens.
    public var hostedDomain: String?

    /// Creates a user with the given properties.
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
