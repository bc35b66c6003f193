extension Mutation {
    private static let oddMembers = [
        "null", "true", "7", "1.5", "\"\"", "\"x\"", "[]", "[\"corp\"]", "{}", #""\ud800""#,
    ]

    private static let names = [
        "sign_in_provider", "tenant", "sign_in_second_factor", "identities", "sign_in_attributes", "other",
    ]
    private static let tenants = ["\"corp\"", "\"Corp\"", "\"corp \"", #""\u0063orp""#, #""corp\u0000""#, "\"other\""]
    private static let factors = ["\"phone\"", "\"totp\""]
    private static let providers = ["\"anonymous\"", "\"custom\"", "\"saml.corp\"", "\"oidc.okta\""]
    private static let wholes = [
        #"{"tenant":"corp","tenant":"other"}"#, #"{"tenant":"other","tenant":"corp"}"#, #"[{"tenant":"corp"}]"#,
        #""{\"tenant\":\"corp\"}""#,
    ]

    static let firebase: [Mutation] = [
        names.flatMap { name in oddMembers.map { member(name, $0) } }, tenants.map { member("tenant", $0) },
        factors.map { member("sign_in_second_factor", $0) }, providers.map { member("sign_in_provider", $0) },
        wholes.map { claim("firebase", $0) },
    ].flatMap { $0 }

    private static func member(_ name: String, _ value: String) -> Mutation {
        Mutation("firebase.\(name) \(value)") {
            var members = Members(["identities": "{}", "sign_in_provider": "\"google.com\""])
            members[name] = value
            $0.claims["firebase"] = members.text
        }
    }
}
