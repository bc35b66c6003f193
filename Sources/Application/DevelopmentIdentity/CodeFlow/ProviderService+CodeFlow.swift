internal import JOSE
internal import Synchronization
internal import TextCoding

// The authorization-code flow, with the differences between providers.
extension ProviderService {
    /// Responds to an authorization request: lets the user choose who signs in, then returns to the client.
    ///
    /// The query of a choice is that of the request with `as=UID`, or `as=-` to refuse. A user who is signed in by
    /// ``DevelopmentProvider/signIn(_:at:)`` does not choose.
    func authorize(_ request: ReceivedRequest, at server: AuthorizationServer) -> Response {
        guard request.method == "GET" else { return .notAllowed("GET") }
        guard let query = request.query, let redirect = query["redirect_uri"], Self.isLoopback(redirect),
            query["client_id"] == server.clientID
        else { return .page("<h1>This request has no known client or redirect URI.</h1>", status: 400) }
        guard query["response_type"] == "code", let state = query["state"] else {
            return .page("<h1>Only the authorization-code flow with a state is supported.</h1>", status: 400)
        }
        if case .identity(.apple) = server, query["response_mode"] != "form_post" {
            return .page("<h1>response_mode must be form_post with a scope.</h1>", status: 400)
        }
        let choice = query["as"]
        if choice == "-" { return back(to: redirect, state, server, error: "access_denied") }
        guard let user = choice.map(DevelopmentUser.named) ?? codeFlow.user(at: server) else {
            if query["prompt"] == "none" { return back(to: redirect, state, server, error: "login_required") }
            return .page(Self.chooser(request.target))
        }
        let code = codeFlow.issue(
            CodeFlowRegistry.Grant(
                server: server, user: user, clientID: server.clientID, redirectURI: redirect, nonce: query["nonce"],
                challenge: query["code_challenge"], scope: query["scope"] ?? "",
                maxAge: query["max_age"].flatMap(Int64.init), issued: now()))
        return back(to: redirect, state, server, code: code, user: user)
    }

    /// Responds to a token request.
    func redeemCode(_ request: ReceivedRequest, at server: AuthorizationServer) -> Response {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let form = FormFields(bodyOf: request), form["grant_type"] == "authorization_code" else {
            return failure("unsupported_grant_type", at: server)
        }
        guard isClient(request, form, of: server) else {
            return failure(server == .gitHub ? "incorrect_client_credentials" : "invalid_client", at: server)
        }
        guard let grant = form["code"].flatMap({ codeFlow.take($0, now: now()) }), grant.server == server,
            form["redirect_uri"] == grant.redirectURI, Self.matches(form["code_verifier"], grant.challenge)
        else { return failure(server == .gitHub ? "bad_verification_code" : "invalid_grant", at: server) }
        return tokens(of: grant, isJSON: request.value(of: "Accept")?.contains("json") == true)
    }

    /// Responds to `GET /user` and `GET /user/emails` of GitHub.
    func gitHubUser(_ request: ReceivedRequest, emails: Bool) -> Response {
        guard request.method == "GET" else { return .notAllowed("GET") }
        guard request.value(of: "User-Agent")?.isEmpty == false else {
            return .json(["message": "Request forbidden by administrative rules."], status: 403)
        }
        guard let user = request.authorization(scheme: "bearer").flatMap({ codeFlow.user(of: $0) }) else {
            return .json(["message": "Bad credentials"], status: 401)
        }
        guard emails else {
            var profile = user.gitHubUser
            profile["name"] = user.name.map(JSON.string) ?? .null
            profile["email"] = .null
            return .json(.object(profile))
        }
        var list: [JSON] = [
            ["email": .string("\(user.uid)@users.noreply.github.example"), "primary": false, "verified": true]
        ]
        if let email = user.email {
            list.append([
                "email": .string(email), "primary": true, "verified": .bool(user.isEmailVerified),
                "visibility": "private",
            ])
        }
        return .json(.array(list))
    }

    // MARK: - The response of the authorization endpoint

    private func back(
        to redirect: String, _ state: String, _ server: AuthorizationServer, code: String? = nil,
        error: String? = nil, user: DevelopmentUser? = nil
    ) -> Response {
        let isApple = server == .identity(.apple)
        let word = isApple && error != nil ? "user_cancelled_authorize" : error
        var fields = [("state", state)]
        if let code { fields.append(("code", code)) }
        if let word { fields.append(("error", word)) }
        if let issuer = server.issuer(base: providerURL) { fields.append(("iss", issuer)) }
        guard isApple else {
            var text = Array((redirect + (redirect.contains("?") ? "&" : "?")).utf8)
            for (name, value) in fields { FormEncoding.append(name, value.utf8, to: &text) }
            return Response(
                status: 302,
                fields: [("Location", String(decoding: text, as: UTF8.self)), ("Cache-Control", "no-store")])
        }
        if let user, let name = user.nameParts, codeFlow.meetsApple(user) {
            let json: JSON = [
                "name": ["firstName": .string(name.given), "lastName": .string(name.family)],
                "email": .string(user.email ?? ""),
            ]
            fields.append(("user", json.text))
        }
        let inputs = fields.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\(Self.escaped($0.1))\">" }
        return .page(
            "<form method=\"post\" action=\"\(Self.escaped(redirect))\">\(inputs.joined())"
                + "<button>Continue</button></form><script>document.forms[0].submit()</script>")
    }

    private var providerURL: String { state.withLock { $0.base } }

    private static func isLoopback(_ url: String) -> Bool {
        ["http://127.0.0.1:", "http://127.0.0.1/", "http://localhost:", "http://localhost/"].contains {
            url.hasPrefix($0)
        }
    }

    /// Returns the page on which the user chooses who signs in.
    private static func chooser(_ target: String) -> String {
        let links = DevelopmentUser.all.map { user in
            "<li><a id=\"as-\(user.uid)\" href=\"\(escaped(target))&amp;as=\(user.uid)\">\(user.uid)</a></li>"
        }
        return "<h1>Sign in as</h1><ul>\(links.joined())</ul>"
            + "<p><a id=\"refuse\" href=\"\(escaped(target))&amp;as=-\">Refuse</a></p>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
    }

    // MARK: - The token endpoint

    private func isClient(_ request: ReceivedRequest, _ form: FormFields, of server: AuthorizationServer) -> Bool {
        if let basic = BasicCredentials(request)?.formDecoded {
            return basic == BasicCredentials(user: server.clientID, password: server.clientSecret)
        }
        guard form["client_id"] == server.clientID, let secret = form["client_secret"] else { return false }
        return server == .identity(.apple) ? isAppleSecret(secret) : secret == server.clientSecret
    }

    /// Returns whether the text has the form of Apple's client secret. The development provider knows no team's key,
    /// so that it does not verify the signature.
    private func isAppleSecret(_ text: String) -> Bool {
        guard let token = try? UnverifiedJWS(text), token.algorithm == .es256, token.keyID?.isEmpty == false,
            let issued = token.payload.root["iat"]?.integer, let expires = token.payload.root["exp"]?.integer
        else { return false }
        let claims = token.payload.root
        return claims["aud"]?.equals("https://appleid.apple.com") == true && claims["iss"]?.string?.isEmpty == false
            && claims["sub"]?.equals(AuthorizationServer.identity(.apple).clientID) == true
            && issued <= now() + 60 && now() < expires && expires - issued <= 15_777_000
    }

    /// Returns whether a verifier is that of the challenge. A verifier without a challenge is an error too.
    private static func matches(_ verifier: String?, _ challenge: String?) -> Bool {
        guard let challenge else { return verifier == nil }
        guard let verifier, let hash = SHA256Hasher()?.hash(Array(verifier.utf8)) else { return false }
        return Base64URL.encode(hash.bytes) == challenge
    }

    private func failure(_ code: String, at server: AuthorizationServer) -> Response {
        // GitHub reports errors with the status 200.
        .oauthError(code, "not accepted", status: server == .gitHub ? 200 : code == "invalid_client" ? 401 : 400)
    }

    private func tokens(of grant: CodeFlowRegistry.Grant, isJSON: Bool) -> Response {
        guard case .identity(let provider) = grant.server else {
            let token = "gho_" + OpaqueToken.random(36)
            codeFlow.add(token, of: grant.user)
            let scope = grant.scope.replacing(" ", with: ",")
            guard isJSON else {
                let text = "access_token=\(token)&scope=\(scope)&token_type=bearer"
                return Response(
                    fields: [("Content-Type", "application/x-www-form-urlencoded")], body: Array(text.utf8))
            }
            return .secretJSON(["access_token": .string(token), "scope": .string(scope), "token_type": "bearer"])
        }
        let access = OpaqueToken.random(40)
        let isOIDC = if case .oidc = provider { true } else { false }
        let issuer = isOIDC ? provider.issuer(base: providerURL) : nil
        var token = ProviderToken.idToken(
            of: provider, for: grant.user, issuer: issuer, nonce: provider == .linkedIn ? nil : grant.nonce, now: now())
        if grant.maxAge != nil { token = token.setting("auth_time", to: .integer(now())) }
        if let hash = SHA256Hasher()?.hash(Array(access.utf8)) {
            token = token.setting("at_hash", to: .string(Base64URL.encode(Array(hash.bytes.prefix(16)))))
        }
        guard let text = try? keyring.sign(token) else { return .oauthError("server_error", status: 500) }
        return .secretJSON([
            "access_token": .string(access), "token_type": "Bearer", "expires_in": 3600, "id_token": .string(text),
        ])
    }
}

extension Response {
    /// Returns an HTML page.
    fileprivate static func page(_ body: String, status: Int = 200) -> Response {
        let html = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Development provider</title>\(body)"
        return Response(
            status: status,
            fields: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(html.utf8))
    }
}

extension DevelopmentProvider {
    /// Signs a user in at an authorization server, so that its flows continue without a choice. `nil` signs out.
    public func signIn(_ user: DevelopmentUser?, at server: AuthorizationServer) {
        service.codeFlow.signIn(user, at: server)
    }
}
