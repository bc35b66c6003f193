import Routing
import Testing

@Suite struct PathTemplateTests {
    private func table(
        _ pattern: String, _ rewrite: String, mergeSlashes: Bool = true,
        encodedSlashes: RouteDefinition.EncodedSlashes = .reject
    ) throws -> RouteTable {
        try RouteTable([
            RouteDefinition(
                pattern: pattern, mergeSlashes: mergeSlashes, encodedSlashes: encodedSlashes, rewrite: rewrite)
        ])
    }

    @Test(arguments: [
        ("/v1/{id}/{rest=**}", "/internal/{id}/{rest}", "/v1/7/a/b", "/internal/7/a/b"),
        ("/v1/{id}/{rest=**}", "/internal/{id}/{rest}", "/v1/7", "/internal/7"),
        ("/v1/{id}/{rest=**}", "/internal/{id}/{rest}", "/v1/7/", "/internal/7/"),
        ("/v1/{id}/{rest=**}", "/internal/{id}/{rest}", "/v1/7/a/", "/internal/7/a/"),
        ("/v1/{id}/{rest=**}", "/{rest}/{id}/x", "/v1/7/a/b", "/a/b/7/x"),
        ("/v1/{id}/{rest=**}", "/{rest}/{id}/x", "/v1/7", "/7/x"),
        ("/{a}/{b}", "/{b}/{a}/{b}", "/x/y", "/y/x/y"),
        ("/{a}/{b}", "/one", "/x/y", "/one"),
        ("/{a}/{b}", "/one", "/x/y/", "/one/"),
        ("/files/{name}", "/store/{name}.json", "/files/a%20b", "/store/a%20b.json"),
        ("/files/{name}", "/store/v-{name}/", "/files/x", "/store/v-x/"),
        ("/{rest=**}", "/{rest}", "/", "/"),
        ("/all/{rest=**}", "/{rest}", "/all", "/"),
        ("/all/{rest=**}", "/{rest}", "/all/", "/"),
        ("/all/{rest=**}", "/{rest}", "/all/x", "/x"),
        ("/all/{rest=**}", "/a%C3%A4/{rest}", "/all//x/./y", "/a%C3%A4/x/y"),
    ]) func `the template gives the forwarded path`(
        row: (pattern: String, template: String, path: String, forwarded: String)
    ) throws {
        let table = try table(row.pattern, row.template)
        #expect(table.routed(row.path) == .route(0, row.forwarded))
    }

    @Test(arguments: [
        ("/{a}/x", "/..{a}/x", "/%3Bp/x"), ("/{a}/x", "/.{a}/admin", "/%3Bp/x"), ("/{a}/x", "/.{a}/admin", "/;p/x"),
    ]) func `B-11: a parameter behind dots is rejected too`(row: (String, String, String)) throws {
        guard case .badPath = try table(row.0, row.1).routed(row.2) else {
            Issue.record("forwarded")
            return
        }
    }

    @Test func `B-11: dots of two adjacent parts are checked together`() throws {
        let kept = try table("/a/{name}", "/b/.{name}", encodedSlashes: .keep)
        #expect(kept.routed("/a/%2Fx") == .badPath(.dotSegmentBesideEncodedSlash))
        #expect(kept.routed("/a/x%2Fy") == .route(0, "/b/.x%2Fy"))
    }

    @Test func `empty segments that the route keeps are forwarded`() throws {
        let table = try table("/a/{rest=**}", "/b/{rest}", mergeSlashes: false)
        #expect(table.routed("/a/x//y") == .route(0, "/b/x//y"))
    }

    @Test func `the reserved path is not reached`() throws {
        #expect(try table("/a/{name}", "/.{name}").routed("/a/gatehouse") == .notFound)
    }

    @Test func `a path that becomes too long is rejected`() throws {
        let table = try table("/{a}", "/{a}{a}{a}{a}")
        #expect(table.routed("/" + String(repeating: "x", count: 20_000)) == .badPath(.tooLong))
    }

    @Test(arguments: [
        ("x", "does not begin with '/'; begin it with '/', as in"), ("/{b}", "no capture of the route is named 'b'"),
        ("/{a", "a '{' without a '}' in its segment; write {NAME} for a capture, or %7B"),
        ("/{a/b}", "a '{' without a '}' in its segment"), ("/x//y", "not a canonical path; write '//' as '/'"),
        ("/x/../y", "not a canonical path; write the path without '.' and '..' segments"),
        ("/.", "not a canonical path; write the path without '.' and '..' segments"),
        ("/%2f", "not a canonical path; remove %2F and %25"), ("/%2F", "not a canonical path; remove %2F and %25"),
        ("/%25{a}", "not a canonical path; remove %2F and %25"),
        ("/%4{a}", "not a canonical path; percent-encode"), ("/%7E", "not a canonical path; percent-encode"),
        ("/x?y", "not a canonical path; remove '?' and the text after it"),
        ("/x#y", "remove '#' and the text after it"),
        ("/ä", "not a canonical path; percent-encode"),
        ("/.gatehouse/x", "'/.gatehouse/' is reserved for the gateway; choose another path"),
        ("/x-{rest}", "'{rest}' can match several segments, but is not a whole segment; write '/' before it"),
        ("/{rest}-x", "'{rest}' can match several segments, but is not a whole segment"),
        (String(repeating: "/{a}", count: 33), "more than 32 captures"),
    ]) func `an invalid template is an error`(row: (template: String, problem: String)) throws {
        let problems = problems(with: [RouteDefinition(pattern: "/{a}/{rest=**}", rewrite: row.template)])
        #expect(problems.count == 1 && problems[0].description.contains(row.problem), "\(problems)")
    }
}
