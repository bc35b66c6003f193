/// A Firebase account at Identity Toolkit, as ``DevelopmentProvider/Endpoint/accountsLookup`` returns it.
///
///     try provider.setAccount(DevelopmentAccount(.ada, validSince: now, isDisabled: true))
///     provider.deleteAccount("ada")
///
/// Every named user (``DevelopmentUser/all``) has an account initially.
public struct DevelopmentAccount: Sendable, Hashable {
    /// The account's user. `uid` and `tenant` are the key of the account.
    public var user: DevelopmentUser
    /// `validSince`, in seconds since 1970: tokens of an earlier sign-in are revoked. The JSON value is a string. `nil`
    /// if absent.
    public var validSince: Int64?
    /// `disabled`. `nil` if absent, as for accounts that were never disabled.
    public var isDisabled: Bool?
    /// Additional members of the record, which override its own.
    public var members: JSONObject

    /// Creates an account of a user.
    public init(
        _ user: DevelopmentUser, validSince: Int64? = nil, isDisabled: Bool? = nil, members: JSONObject = [:]
    ) {
        self.user = user
        self.validSince = validSince
        self.isDisabled = isDisabled
        self.members = members
    }

    /// The record: `UserInfo` of Identity Toolkit v1.
    var userInfo: JSONObject {
        var info: JSONObject = ["localId": .string(user.uid)]
        info["email"] = user.email.map(JSON.string)
        if user.email != nil { info["emailVerified"] = .bool(user.isEmailVerified) }
        info["displayName"] = user.name.map(JSON.string)
        info["photoUrl"] = user.picture.map(JSON.string)
        info["phoneNumber"] = user.phoneNumber.map(JSON.string)
        info["providerUserInfo"] = .array(providers)
        info["validSince"] = validSince.map { .string("\($0)") }
        info["disabled"] = isDisabled.map(JSON.bool)
        info.merge(Self.times)
        if !user.customClaims.members.isEmpty { info["customAttributes"] = .string(user.customClaims.text) }
        info["tenantId"] = user.tenant.map(JSON.string)
        info.merge(members)
        return info
    }

    /// Times in milliseconds since 1970, and in RFC 3339 format.
    private static let times: JSONObject = [
        "lastLoginAt": "1700000000000", "createdAt": "1600000000000", "lastRefreshAt": "2023-11-14T22:13:20.000Z",
    ]

    private var providers: [JSON] {
        user.identities.members.compactMap { member in
            guard let id = member.value.elements?.first?.string else { return nil }
            var info: JSONObject = [
                "providerId": .string(member.name), "rawId": .string(id), "federatedId": .string(id),
            ]
            info["email"] = user.email.map(JSON.string)
            info["displayName"] = user.name.map(JSON.string)
            info["photoUrl"] = user.picture.map(JSON.string)
            return .object(info)
        }
    }
}
