extension ProviderService {
    /// Answers `POST /applications/{client_id}/token`, GitHub's check of a token.
    ///
    /// 404 is both a token that is unknown and one of another application.
    func checkGitHubToken(_ request: ReceivedRequest) -> Answer {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard request.value(of: "User-Agent")?.isEmpty == false else {
            return .gitHub(
                403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
        }
        let client = opaque.client(for: .gitHub)
        let named = request.path.split(separator: "/").dropFirst().first.flatMap { FormFields.decoded($0) }
        guard BasicCredentials(request) == BasicCredentials(user: client.id, password: client.secret),
            named == client.id
        else { return .gitHub(401, "Bad credentials") }
        guard request.bodyText != nil, let body = JSONObject(parsing: request.bodyPrefix) else {
            return .gitHub(400, "Problems parsing JSON")
        }
        guard let text = body["access_token"]?.string, !text.isEmpty else { return .gitHub(422, "Validation Failed") }
        guard let token = opaque.ask(text, .gitHub), token.clientID == client.id else {
            return .gitHub(404, "Not Found")
        }
        return .json(.object(token.answer))
    }
}

extension Answer {
    fileprivate static func gitHub(_ status: Int, _ message: String) -> Answer {
        .json(
            [
                "message": .string(message), "documentation_url": "https://docs.github.com/rest",
                "status": .string("\(status)"),
            ], status: status)
    }
}
