extension ProviderService {
    /// Answers `GET /debug_token?input_token=T&access_token=APPID|APPSECRET`.
    ///
    /// About a token that it does not know it says 200 with `is_valid` false.
    func debugFacebookToken(_ request: ReceivedRequest) -> Answer {
        guard request.method == "GET" else { return .notAllowed("GET") }
        let client = opaque.client(for: .facebook)
        guard let query = request.query, query["access_token"] == "\(client.id)|\(client.secret)" else {
            return .facebookError(190, "Invalid OAuth access token signature.")
        }
        guard let text = query["input_token"], !text.isEmpty else {
            return .facebookError(100, "(#100) The parameter input_token is required")
        }
        guard let token = opaque.ask(text, .facebook) else {
            return .json([
                "data": [
                    "error": ["code": 190, "message": "Invalid OAuth access token."], "is_valid": false, "scopes": [],
                ]
            ])
        }
        guard token.clientID == client.id else {
            return .facebookError(100, "(#100) The App_id in the input_token did not match the Viewing App")
        }
        return .json(.object(token.answer))
    }
}

extension Answer {
    fileprivate static func facebookError(_ code: Int64, _ message: String) -> Answer {
        .json(
            ["error": ["message": .string(message), "type": "OAuthException", "code": .integer(code)]], status: 400)
    }
}
