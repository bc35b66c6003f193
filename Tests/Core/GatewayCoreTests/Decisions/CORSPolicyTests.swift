import Testing

@testable import CoreFixtures
@testable import GatewayCore

@Suite struct PreflightTests {
    private func preflight(_ fields: [String], method: String = "OPTIONS") throws -> (method: String, [String])? {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return try withRequest("\(method) /x HTTP/1.1\r\nHost: api.example\r\n\(lines)\r\n") { request in
            Preflight(request).map { ($0.methodName(in: request.bytes), $0.headers) }
        }
    }

    private static let origin = "Origin: https://app.example"
    private static let delete = "Access-Control-Request-Method: DELETE"

    @Test(arguments: [
        [origin, delete], ["Origin: null", delete], ["Origin: http://[::1]:5173", delete],
        ["Origin: capacitor://localhost", delete], [origin, "access-control-request-method:DELETE"],
    ]) func `a request with an origin and a method is a preflight`(fields: [String]) throws {
        #expect(try preflight(fields)?.method == "DELETE")
    }

    @Test(arguments: [
        [], [origin], [delete], [origin, origin, delete], [origin, delete, delete], ["Origin:", delete],
        ["Origin: app.example", delete], ["Origin: https://app.example/", delete], ["Origin: https://", delete],
        ["Origin: https://a b", delete], ["Origin: https://ada@app.example", delete], ["Origin: *", delete],
        ["Origin: https://a.example, https://b.example", delete], [origin, "Access-Control-Request-Method:"],
        [origin, "Access-Control-Request-Method: A B"], [origin, "Access-Control-Request-Method: CONNECT"],
        [origin, "Access-Control-Request-Method: TRACE"], [origin, "Access_Control_Request_Method: PUT"],
        [origin, "Access-Control-Request-Method: \(String(repeating: "A", count: 33))"],
    ]) func `any other request is not a preflight`(fields: [String]) throws {
        #expect(try preflight(fields) == nil)
        #expect(try preflight([Self.origin, Self.delete], method: "GET") == nil, "another method")
    }

    @Test(arguments: [
        (["a, B-c", "d"], ["a", "B-c", "d"]), (["a,,b"], ["a", "b"]), (["a b"], []), (["a, é"], []),
        ([(0..<65).map { "h\($0)" }.joined(separator: ",")], []), ([String(repeating: "a,", count: 2_100)], []),
    ]) func `header names are read within bounds`(row: (values: [String], names: [String])) throws {
        let fields = row.values.map { "Access-Control-Request-Headers: \($0)" }
        #expect(try preflight([Self.origin, Self.delete] + fields)?.1 == row.names)
    }
}

@Suite struct CORSPolicyTests {
    private func policy(
        _ origins: [String] = ["https://app.example", "null"], methods: [String] = [], headers: [String]? = nil,
        credentials: Bool = false
    ) -> CORSPolicy {
        CORSPolicy(
            origins: origins, methods: methods, headers: headers, expose: ["X-Total"], credentials: credentials,
            maximumAge: 60)
    }

    private func place(_ policy: CORSPolicy, _ fields: String...) throws -> Int {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return try withRequest("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") { policy.place(of: $0) }
    }

    private func text(_ lines: [UInt8]) -> String { String(decoding: lines, as: UTF8.self) }

    @Test(arguments: [
        ("https://app.example", 0), ("HTTPS://App.Example", 0), ("null", 1), ("https://app.example:443", -1),
        ("http://app.example", -1), ("https://app.example.evil.example", -1), ("https://evilapp.example", -1),
        ("https://app.example/", -1), ("https://app.exampl", -1), ("", -1),
    ]) func `an origin is compared as a whole`(row: (origin: String, place: Int)) throws {
        #expect(try place(policy(), "Origin: \(row.origin)") == row.place)
        #expect(try place(policy(), "Origin: \(row.origin)", "Origin: \(row.origin)") == -1, "several origins")
        #expect(try place(policy()) == -1)
    }

    @Test func `a listed origin is named and the challenge is exposed`() {
        #expect(
            text(policy(credentials: true).lines(to: 0)) == """
                Access-Control-Allow-Origin: https://app.example\r
                Access-Control-Allow-Credentials: true\r
                Access-Control-Expose-Headers: WWW-Authenticate, Retry-After, X-Total\r
                Vary: Origin\r

                """)
        #expect(text(policy().lines(to: -1)) == "Vary: Origin\r\n")
    }

    @Test func `a policy for all origins has one response`() throws {
        let all = policy(["*"], credentials: true)
        #expect(!all.allowsCredentials && all.allows(-1))
        #expect(
            text(all.lines(to: try place(all, "Origin: https://x.example")))
                == "Access-Control-Allow-Origin: *\r\n"
                + "Access-Control-Expose-Headers: WWW-Authenticate, Retry-After, X-Total\r\n")
    }

    @Test(
        arguments: [
            ([], nil, ["DELETE", "a, b"]), (["GET", "PUT"], nil, ["GET, PUT", "a, b"]), (["PUT"], ["X"], ["PUT", "X"]),
        ] as [([String], [String]?, [String])]) func `a preflight response contains the listed methods and headers`(
            row: (methods: [String], headers: [String]?, expected: [String])
        ) throws
    {
        let policy = policy(methods: row.methods, headers: row.headers)
        let head = """
            OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: null\r\nAccess-Control-Request-Method: DELETE\r
            Access-Control-Request-Headers: a,b\r\n\r\n
            """
        let lines = try withRequest(head) { request in
            Preflight(request).map { text(policy.lines(answering: $0, in: request.bytes)) }
        }
        #expect(
            lines == "Access-Control-Allow-Methods: \(row.expected[0])\r\n"
                + "Access-Control-Allow-Headers: \(row.expected[1])\r\nAccess-Control-Max-Age: 60\r\n")
    }

    @Test func `only listed origins may send credentials`() throws {
        func allows(_ policy: CORSPolicy, _ fields: String) throws -> Bool {
            try withRequest("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") { policy.allowsCredentials(of: $0) }
        }
        let listed = policy(["https://app.example"], credentials: true)
        #expect(try allows(listed, "Origin: https://app.example"))
        #expect(try !allows(listed, "Origin: https://evil.example"))
        #expect(try !allows(listed, "X: y"))
        let twoSites = "Origin: https://app.example\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site"
        #expect(try !allows(listed, twoSites))
        #expect(try !allows(policy(["https://app.example"]), "Origin: https://app.example"))
        #expect(try !allows(policy(["*"], credentials: true), "Origin: https://app.example"))
    }
}
