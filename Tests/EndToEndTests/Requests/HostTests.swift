import DevelopmentIdentity
import Testing

/// Routes by host.
@Suite(
    .sharedScenario { configuration in
        configuration.routes = [
            "path: /x/**, host: api.example.com, upstream: api",
            "path: /x/**, host: '*.example.com', auth: none, upstream: api",
            "path: /any/**, auth: none, upstream: api",
        ]
    })
struct HostTests: SharedScenarioSuite {
    private func get(_ target: String, host: String) throws -> WireResponse {
        try scenario.send(WireRequest(target: target, host: host))
    }

    @Test(arguments: ["api.example.com", "API.Example.COM", "api.example.com:8080", "api.example.com:80"])
    func `B-06: the exact host comes first, in any case and at any port`(host: String) throws {
        expectDenial(try get("/x/1", host: host), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(arguments: ["www.example.com", "a.b.example.com", "WWW.EXAMPLE.COM"])
    func `a wildcard matches other subdomains`(host: String) throws {
        #expect(try get("/x/1", host: host).status == 200)
    }

    @Test(arguments: ["example.com", "evilexample.com", "example.com.evil.example", ".example.com", "api.example.com."])
    func `B-17: a wildcard ends at a dot`(host: String) throws {
        let status = try get("/x/1", host: host).status
        // A trailing dot names the same host. The request can be rejected or match that host, but no other one.
        #expect(status == 404 || status == 400 || (host == "api.example.com." && status == 401))
    }

    @Test func `a host with routes does not fall back to routes for any host`() throws {
        expectDenial(try get("/any/1", host: "api.example.com"), 404, "route/not-found")
        #expect(try get("/any/1", host: "other.example").status == 200)
    }
}
