import DevelopmentIdentity
import Testing

/// Preflights, and the responses that browsers allow pages to read.
@Suite(
    .sharedScenario {
        $0.routes += [
            "path: '/cors/{id}', methods: [DELETE, GET, POST], cors: { origins: [https://app.example], credentials: true, expose: [X-Total] }, recent_sign_in: 5m, upstream: api",
            "path: '/cors/{id}', methods: [PUT], upstream: api",
            "path: /any/**, auth: none, cors: { origins: '*', headers: [X-A] }, body_size: 1KiB, upstream: api",
            "path: /far/**, auth: none, cors: { origins: https://app.example }, upstream: down",
            "path: /cookie/**, cors: { origins: https://app.example, credentials: true }, upstream: api",
            "path: /nocookie/**, cors: { origins: https://app.example }, upstream: api",
            "path: /asked/**, cors: { origins: https://app.example }, rate_limit: [{ per: address, requests: 1, every: 1d }], upstream: api",
            "path: /limited/**, auth: none, cors: { origins: https://app.example }, rate_limit: [{ per: route, requests: 1, every: 1d }], upstream: api",
        ]
        $0["accounts"] = "{ origins: ['https://app.example'] }"
    }
)
struct CORSTests: SharedScenarioSuite {
    static let origin = "Origin: https://app.example"

    private func options(_ target: String, _ fields: String...) -> WireRequest {
        WireRequest(method: "OPTIONS", target: target, fields: fields)
    }

    /// `NAME: value` of each field that browsers evaluate, sorted.
    private func browserFields(_ response: WireResponse) -> [String] {
        response.fields.filter { $0.name.lowercased().hasPrefix("access-control-") || $0.name == "Vary" }
            .map { "\($0.name): \($0.value)" }.sorted()
    }

    private static let exposed = "Access-Control-Expose-Headers: WWW-Authenticate, Retry-After"

    @Test func `C-03: a preflight gets the response of the requested method's route`() throws {
        let preflight = options(
            "/cors/7?x=1", Self.origin, "Access-Control-Request-Method: DELETE",
            "Access-Control-Request-Headers: authorization, x-a", "Access-Control-Request-Private-Network: true",
            "Cookie: __session=broken", "Authorization: Bearer broken")
        let (response, count) = try scenario.forwarded { try scenario.send(preflight) }
        #expect(response.status == 204 && response.body.isEmpty && count == 0)
        #expect(response["Content-Length"] == nil && response["Set-Cookie"] == nil)
        #expect(
            browserFields(response) == [
                "Access-Control-Allow-Credentials: true",
                "Access-Control-Allow-Headers: authorization, x-a",
                "Access-Control-Allow-Methods: DELETE, GET, POST, HEAD",
                "Access-Control-Allow-Origin: https://app.example",
                Self.exposed + ", X-Total",
                "Access-Control-Max-Age: 600",
                "Vary: Access-Control-Request-Method, Access-Control-Request-Headers",
                "Vary: Origin",
            ])
    }

    @Test func `a route that lists fields allows only those`() throws {
        let response = try scenario.send(
            options(
                "/any/x", "Origin: https://x.example", "Access-Control-Request-Method: PATCH",
                "Access-Control-Request-Headers: x-b"))
        #expect(response.status == 204)
        #expect(response["Access-Control-Allow-Headers"] == "X-A")
        #expect(response["Access-Control-Allow-Methods"] == "PATCH")
        #expect(response.values("Access-Control-Allow-Origin") == ["*"])
    }

    @Test func `K-16: preflights take part in the route's rate limit`() throws {
        let preflight = options("/asked/x", Self.origin, "Access-Control-Request-Method: DELETE")
        #expect(try scenario.send(preflight).status == 204)
        let limited = try scenario.send(preflight)
        #expect(limited.status == 429 && limited.text.contains("request/rate-limited"))
        #expect(limited["Access-Control-Allow-Origin"] == "https://app.example" && limited["Retry-After"] != nil)
    }

    @Test(arguments: [
        "https://evil.example", "null", "https://app.example:8443", "http://app.example",
        "https://app.example.evil.example",
    ]) func `C-03: a preflight of another origin is denied`(origin: String) throws {
        let preflight = options("/cors/7", "Origin: \(origin)", "Access-Control-Request-Method: DELETE")
        let (response, count) = try scenario.forwarded { try scenario.send(preflight) }
        expectDenial(response, 403, "request/cross-site")
        #expect(count == 0 && browserFields(response) == ["Vary: Origin"])
    }

    @Test(arguments: [
        [], [origin], ["Access-Control-Request-Method: DELETE"],
        [origin, origin, "Access-Control-Request-Method: DELETE"],
        ["Origin: x", "Access-Control-Request-Method: DELETE"],
        [origin, "Access-Control-Request-Method: DELETE", "Access-Control-Request-Method: DELETE"],
    ]) func `C-02: an OPTIONS request that is not a preflight needs a credential`(fields: [String]) throws {
        let request = WireRequest(method: "OPTIONS", target: "/cookie/x", fields: fields)
        try scenario.expectRefusal(request, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func `C-02: a preflight to a route without CORS needs a credential`() throws {
        let preflight = options("/me/x", Self.origin, "Access-Control-Request-Method: DELETE")
        try scenario.expectRefusal(preflight, 401, "auth/missing-credential", challenge: "Bearer")
        let put = options("/cors/7", Self.origin, "Access-Control-Request-Method: PUT")
        try scenario.expectRefusal(put, 405, "request/method-not-allowed")
    }

    @Test func `a page can read the step-up challenge`() throws {
        let token = try scenario.token { $0.signedIn(at: unixNow() - 4_000) }
        let response = try scenario.send(.bearer(token, "/cors/7", Self.origin))
        #expect(response.status == 401)
        #expect(response["WWW-Authenticate"]?.contains("max_age=\"300\"") == true)
        #expect(
            browserFields(response) == [
                "Access-Control-Allow-Credentials: true", "Access-Control-Allow-Origin: https://app.example",
                Self.exposed + ", X-Total", "Vary: Origin",
            ])
    }

    @Test func `a page can read the denials of every stage`() throws {
        var tooLarge = WireRequest.post("/any/x", Self.origin, body: [])
        tooLarge.fields = [Self.origin, "Content-Length: 2000"]
        let answers = try [
            413: scenario.send(tooLarge), 502: scenario.send(.get("/far/x", Self.origin)),
            401: scenario.send(.get("/cookie/x", Self.origin)),
        ]
        for (status, response) in answers {
            #expect(response.status == status)
            #expect(response["Access-Control-Allow-Origin"] != nil, "\(status)")
        }
        _ = try scenario.send(.get("/limited/x", Self.origin))
        let limited = try scenario.send(.get("/limited/x", Self.origin))
        #expect(limited.status == 429 && limited["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(limited["Retry-After"].flatMap(Int.init).map { (86_390...86_400).contains($0) } == true)
    }

    @Test func `an unlisted origin gets a response that its page cannot read`() throws {
        let token = try scenario.token()
        for fields in [["Origin: https://evil.example"], []] {
            var request = WireRequest.bearer(token, "/cookie/x")
            request.fields += fields
            let response = try scenario.send(request)
            #expect(response.status == 200 && browserFields(response) == ["Vary: Origin"])
        }
    }

    @Test func `only a listed origin with credentials can use the cookie`() throws {
        func status(_ target: String, _ fields: String...) throws -> Int {
            let cookie = "Cookie: __session=\(try scenario.cookie(.alan))"
            return try scenario.send(
                WireRequest(
                    method: "POST", target: target, fields: fields + [cookie, "Content-Length: 0"], host: "own.example")
            ).status
        }
        #expect(try status("/cookie/x", Self.origin, "Sec-Fetch-Site: cross-site") == 200)
        #expect(try status("/cookie/x", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site") == 403)
        #expect(try status("/cookie/x", "Sec-Fetch-Site: cross-site") == 403)
        #expect(try status("/cookie/x", Self.origin, "Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site") == 403)
    }

    @Test func `the allowed origins can read the account calls`() throws {
        let path = "/.gatehouse/sign-out"
        let preflight = try scenario.send(
            options(
                path, Self.origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type"
            ))
        #expect(preflight.status == 204 && preflight["Access-Control-Allow-Methods"] == "POST")
        #expect(preflight["Access-Control-Allow-Credentials"] == "true")
        let nonce = try scenario.send(.post("/.gatehouse/nonce", Self.origin))
        #expect(nonce.status == 200 && nonce["Access-Control-Allow-Origin"] == "https://app.example")
        let refused = try scenario.send(
            .post("/.gatehouse/link", Self.origin, "Content-Type: application/json", body: Array("{}".utf8)))
        #expect(refused.status == 401 && refused["Access-Control-Allow-Origin"] == "https://app.example")
        let evil = try scenario.send(
            options(path, "Origin: https://evil.example", "Access-Control-Request-Method: POST"))
        #expect(evil.status == 403 && evil["Access-Control-Allow-Origin"] == nil)
        let get = try scenario.send(options(path, Self.origin, "Access-Control-Request-Method: GET"))
        #expect(get.status == 405)
        for (name, methods, allowed) in [
            ("account", ["GET", "PATCH"], "GET, PATCH"),
            ("account/sessions/\(String(repeating: "a", count: 32))/revoke", ["POST"], "POST"),
        ] {
            for method in methods {
                let target = "/.gatehouse/\(name)"
                let preflight = try scenario.send(
                    options(target, Self.origin, "Access-Control-Request-Method: \(method)"))
                #expect(preflight.status == 204 && preflight["Access-Control-Allow-Methods"] == allowed, "\(name)")
            }
        }
    }
}
