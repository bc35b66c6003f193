import Testing

@testable import GatewayCore

@Suite struct AWSRequestTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    private func keys(_ id: String = "AKIDEXAMPLE", _ secret: String = secret, _ token: String? = nil) throws -> AWSKeys
    {
        try #require(AWSKeys(id: id, secret: secret, sessionToken: token))
    }

    private func scope(_ service: String) -> AWSRequest.Scope {
        AWSRequest.Scope(now: 1_440_938_160, region: "us-east-1", service: service)
    }

    /// The worked example of the AWS General Reference.
    @Test func `the published example has the published key and signature`() throws {
        let keys = try keys()
        let key = try #require(AWSRequest.key(keys.secret, scope("iam")))
        let text = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
        #expect(scope("iam").date == "20150830T123600Z")
        let users = AWSRequest(
            method: "GET", query: [("Version", "2010-05-08"), ("Action", "ListUsers")],
            fields: [
                ("x-amz-date", scope("iam").date), ("host", "iam.amazonaws.com"),
                ("content-type", "application/x-www-form-urlencoded; charset=utf-8"),
            ])
        #expect(
            users.authorization(by: keys, scope("iam"))
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, "
                + "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
    }

    /// `get-vanilla` of AWS's test suite for Signature Version 4.
    @Test func `a request without a query has the published signature`() throws {
        let request = AWSRequest(
            method: "GET", fields: [("host", "example.amazonaws.com"), ("x-amz-date", scope("service").date)])
        #expect(
            request.authorization(by: try keys(), scope("service"))?.hasSuffix(
                "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31") == true)
    }

    /// The queries were computed with botocore.
    @Test func `a query is signed`() throws {
        let request = AWSRequest(
            method: "GET", query: [("User", "iam-user-01"), ("Action", "connect")], fields: [("host", "my-group")])
        let query = { (id: String) in
            "Action=connect&User=iam-user-01&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=\(id)%2F20150830"
                + "%2Fus-east-1%2Felasticache%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-Expires=900"
        }
        #expect(
            request.signedQuery(by: try keys(), scope("elasticache"), lifetime: 900)
                == query("AKIDEXAMPLE") + "&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=511cc97ec632040cf898bd8192bdd1df9d6fca557b6ea3a3ffaa635c0a5cadfb")
        let temporary = try keys(
            "ASIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFF+/==")
        // The order of parameters is that of the signed text; botocore appends the token last.
        #expect(
            request.signedQuery(by: temporary, scope("elasticache"), lifetime: 900)
                == query("ASIAIOSFODNN7EXAMPLE") + "&X-Amz-Security-Token=AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFF%2B%2F%3D%3D"
                + "&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=8b26fa1219bfd1b66fe85c830e9fdd32944138769156e231d9e9063640429840")
    }

    @Test func `parameters are encoded and sorted`() {
        var request = AWSRequest(method: "GET", fields: [])
        request.query = [("b", "2 ä"), ("a", "z"), ("a", "b/c"), ("a-b", "~")]
        #expect(request.encodedQuery == "a=b%2Fc&a=z&a-b=~&b=2%20%C3%A4")
    }

    @Test(
        arguments: [
            ("", "s", nil), ("a/b", "s", nil), ("a", "", nil), ("a", "s s", nil), ("a", "s", ""),
            ("a", "s", "t\r\nx: y"),
            (String(repeating: "a", count: 129), "s", nil), ("a", String(repeating: "s", count: 257), nil),
            ("a", "s", String(repeating: "t", count: 8193)),
        ] as [(String, String, String?)])
    func `keys that cannot be part of a signed request are refused`(id: String, secret: String, token: String?) {
        #expect(AWSKeys(id: id, secret: secret, sessionToken: token) == nil)
    }
}
