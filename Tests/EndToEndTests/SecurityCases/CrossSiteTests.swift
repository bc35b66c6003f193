import DevelopmentIdentity
import Testing

/// Requests that a page of another site can make a browser send with the user's cookie.
@Suite(
    .sharedScenario {
        $0.routes += [
            "path: /hook/**, insecure_no_csrf: true, upstream: api",
            "path: /own/**, upstream: api",
        ]
        $0["accounts"] = "{ origins: ['https://app.example'] }"
    }
)
struct CrossSiteTests: SharedScenarioSuite {
    static let pages: [(what: String, fields: [String])] = [
        ("another site", ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example"]),
        ("another site without an origin", ["Sec-Fetch-Site: cross-site"]),
        ("a sibling", ["Sec-Fetch-Site: same-site", "Origin: https://evil.own.example"]),
        ("another site in an old browser", ["Origin: https://evil.example"]),
        ("a sandboxed page", ["Origin: null"]),
        ("a listed origin's namesake", ["Sec-Fetch-Site: cross-site", "Origin: https://app.example.evil.example"]),
        ("two origins", ["Origin: https://app.example", "Origin: https://evil.example"]),
        ("two sites", ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]),
    ]

    private func request(
        _ method: String, _ target: String, _ fields: [String], cookie: Bool = true, bearer: Bool = false
    ) throws -> WireRequest {
        let session = try scenario.cookie(.ada)
        var request = WireRequest(method: method, target: target, fields: fields, host: "own.example")
        if cookie { request.fields.append("Cookie: a=1; __session=\(session)") }
        if bearer { request.fields.append("Authorization: Bearer \(cookie ? session : try scenario.token())") }
        return request
    }

    @Test(arguments: pages)
    func `a page of another site cannot act as the user`(page: (what: String, fields: [String])) throws {
        for target in ["/own/x", "/me/x", "/optional/x", "/public/x", "/recent/x", "/strict/x"] {
            for method in ["POST", "PUT", "DELETE", "PATCH", "PROPFIND", "get"] {
                let request = try request(method, target, page.fields)
                try scenario.expectRefusal(request, 403, "request/cross-site", "\(page.what): \(method) \(target)")
            }
        }
    }

    @Test func `the same token in the header as well changes nothing`() throws {
        let request = try request("POST", "/me/x", Self.pages[0].fields, bearer: true)
        try scenario.expectRefusal(request, 403, "request/cross-site")
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS"]) func `a request that only reads is permitted`(method: String) throws {
        let response = try scenario.send(try request(method, "/me/x", Self.pages[0].fields))
        #expect(response.status == 200)
    }

    @Test(arguments: [
        [], ["Sec-Fetch-Site: same-origin", "Origin: http://own.example"], ["Sec-Fetch-Site: none"],
        ["Origin: https://own.example"], ["Origin: http://own.example"],
        ["Sec-Fetch-Site: cross-site", "Origin: https://app.example"], ["Origin: https://app.example"],
    ]) func `calls of the user's own pages pass`(fields: [String]) throws {
        let report = try scenario.passes(try request("POST", "/own/x", fields))
        #expect(report["X-Auth-Uid"] == "ada")
    }

    @Test func `a token that browsers do not send automatically is permitted`() throws {
        for page in Self.pages {
            let request = try request("POST", "/me/x", page.fields, cookie: false, bearer: true)
            #expect(try scenario.passes(request)["X-Auth-Uid"] == "ada")
        }
    }

    @Test func `a request without the session cookie is forwarded`() throws {
        let cookies = [[], ["Cookie: a=1"], ["Cookie: __session=legacy"]]
        for cookie in cookies {
            _ = try scenario.passes(try request("POST", "/public/x", Self.pages[0].fields + cookie, cookie: false))
        }
    }

    @Test func `a route can leave the check to its service`() throws {
        for page in Self.pages {
            #expect(try scenario.passes(try request("POST", "/hook/x", page.fields))["X-Auth-Uid"] == "ada")
        }
        #expect(try scenario.metric("gatehouse_insecure_option", containing: "routes[/hook/**].insecure_no_csrf") == 1)
    }

    @Test func `a cross-site denial is reported like other denials`() throws {
        let before = try scenario.metric("gatehouse_requests_total", containing: "request/cross-site")
        let response = try scenario.send(try request("POST", "/me/x", Self.pages[0].fields + ["Content-Length: 0"]))
        expectDenial(response, 403, "request/cross-site")
        #expect(!response.text.contains("evil"))
        #expect(try scenario.metric("gatehouse_requests_total", containing: "request/cross-site") == before + 1)
    }
}

/// The same check in a gateway without accounts: it applies to Firebase's session cookies, too.
@Suite(.sharedScenario) struct CrossSiteWithoutAccountsTests: SharedScenarioSuite {
    @Test func `a page of another site cannot act as the user`() throws {
        let cookie = "Cookie: __session=\(try scenario.cookie(.ada))"
        for page in CrossSiteTests.pages {
            let request = WireRequest(
                method: "POST", target: "/me/x", fields: page.fields + [cookie], host: "own.example")
            try scenario.expectRefusal(request, 403, "request/cross-site", page.what)
        }
        let own = WireRequest(method: "POST", target: "/me/x", fields: [cookie], host: "own.example")
        #expect(try scenario.passes(own)["X-Auth-Uid"] == "ada")
    }
}
