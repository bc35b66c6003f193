internal import CivilCalendar

extension OpaqueToken {
    /// Creates a token with a complete introspection response (RFC 7662 section 2.2), valid for an hour.
    ///
    /// - Parameters:
    ///   - text: The token. Default: 40 random letters and digits.
    ///   - clientID: `client_id`. Default: the client of ``DevelopmentClient/demo(for:)``.
    ///   - audience: `aud`. Default: `gatehouse`.
    ///   - scope: `scope`, names separated by spaces.
    public static func introspected(
        for user: DevelopmentUser, text: String? = nil, clientID: String? = nil, audience: String = "gatehouse",
        scope: String = "profile email", now: Int64
    ) -> OpaqueToken {
        var token = OpaqueToken(.introspected, text: text ?? random(40), clientID: clientID, response: [:])
        token.response = [
            "active": true, "scope": .string(scope), "client_id": .string(token.clientID),
            "token_type": "Bearer", "exp": .integer(now + 3600), "iat": .integer(now), "nbf": .integer(now),
            "sub": .string(user.uid), "aud": .string(audience), "iss": "https://legacy.example",
        ]
        token.response["username"] = user.email.map(JSON.string)
        return token
    }

    /// Creates a GitHub user's token with the authorization object of the operation `apps/check-token`. It does not
    /// expire.
    ///
    /// - Parameters:
    ///   - text: The token. Default: `gho_` and 36 random letters and digits.
    ///   - clientID: The application's client ID. Default: the client of ``DevelopmentClient/demo(for:)``. For another
    ///     application, the endpoint responds with 404.
    public static func gitHub(
        for user: DevelopmentUser, text: String? = nil, clientID: String? = nil, scopes: [String] = ["user:email"],
        now: Int64
    ) -> OpaqueToken {
        let text = text ?? "gho_" + random(36)
        var token = OpaqueToken(.gitHub, text: text, clientID: clientID, response: [:])
        let created = JSON.string(RFC3339.text(now))
        token.response = [
            "id": 1, "url": "https://api.github.com/authorizations/1", "scopes": .array(scopes.map(JSON.string)),
            "token": .string(text), "token_last_eight": .string(String(text.suffix(8))),
            "hashed_token": .string(StableID.hex(64, of: text)),
            "app": [
                "client_id": .string(token.clientID), "name": "Gatehouse", "url": "https://gatehouse.example",
            ],
            "note": nil, "note_url": nil, "created_at": created, "updated_at": created, "expires_at": nil,
            "fingerprint": nil, "user": .object(user.gitHubUser), "installation": nil,
        ]
        return token
    }

    /// Creates a Facebook user's token with the response of `debug_token`, valid for 60 days.
    ///
    /// - Parameters:
    ///   - text: The token. Default: `EAA` and random letters and digits.
    ///   - appID: The application's ID. Default: the client of ``DevelopmentClient/demo(for:)``. For another
    ///     application, the endpoint responds with 400. For a response with a different `app_id`, set `data`, `app_id`.
    public static func facebook(
        for user: DevelopmentUser, text: String? = nil, appID: String? = nil,
        scopes: [String] = ["email", "public_profile"], now: Int64
    ) -> OpaqueToken {
        var token = OpaqueToken(.facebook, text: text ?? "EAA" + random(60), clientID: appID, response: [:])
        token.response = [
            "data": [
                "app_id": .string(token.clientID), "type": "USER", "application": "Gatehouse",
                "data_access_expires_at": .integer(now + 7_776_000), "expires_at": .integer(now + 5_184_000),
                "is_valid": true, "issued_at": .integer(now), "scopes": .array(scopes.map(JSON.string)),
                "user_id": .string(user.subject(at: "facebook.com")),
            ]
        ]
        return token
    }
}

extension DevelopmentUser {
    var gitHubUser: JSONObject {
        [
            "login": .string(uid), "id": .integer(Int64(subject(at: "github.com")) ?? 0),
            "node_id": .string("U_\(StableID.base64URL(bytes: 9, of: uid))"),
            "avatar_url": .string(picture ?? "https://example.com/\(uid).png"),
            "url": .string("https://api.github.com/users/\(uid)"), "type": "User", "site_admin": false,
        ]
    }
}
