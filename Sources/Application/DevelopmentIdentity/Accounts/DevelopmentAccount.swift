/// A Firebase account as Identity Toolkit knows it: what ``DevelopmentProvider/Endpoint/accountsLookup`` reports it.
///
///     try provider.setAccount(DevelopmentAccount(.ada, validSince: now, isDisabled: true))
///     provider.deleteAccount("ada")
///
/// Every user with a name (``DevelopmentUser/all``) has an account from the start.
public struct DevelopmentAccount: Sendable, Hashable {
    /// Whose account it is; `uid` and `tenant` are where it is found.
    public var user: DevelopmentUser
    /// `validSince`, in seconds since 1970: tokens of an earlier sign-in are revoked. It is a string on the wire.
    /// `nil`: absent.
    public var validSince: Int64?
    /// `disabled`; `nil`: absent, as it is of accounts that never were.
    public var isDisabled: Bool?
    /// Members of the record besides, or instead of, its own.
    public var members: JSONObject

    /// An account of that user.
    public init(
        _ user: DevelopmentUser, validSince: Int64? = nil, isDisabled: Bool? = nil, members: JSONObject = [:]
    ) {
        self.user = user
        self.validSince = validSince
        self.isDisabled = isDisabled
        self.members = members
    }

    /// The record, `UserInfo` of Identity Toolkit v1.
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

    /// In milliseconds since 1970 and RFC 3339.
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
