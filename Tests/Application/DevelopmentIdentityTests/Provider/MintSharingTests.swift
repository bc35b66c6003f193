import DevelopmentIdentity
import Testing

/// Which pages may read what they had minted.
@Suite struct MintSharingTests {
    private func mint(_ method: String = "POST", origin: String?, body: String = "{}") async throws -> Response {
        var response: Response?
        try await withProvider { provider in
            let fields = origin.map { "Origin: \($0)\r\n" } ?? ""
            response = try await Response(exchange(provider.port, method, "/mint", fields: fields, body: body))
        }
        return try #require(response)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://localhost:8080", "http://localhost"])
    func aPageOfThisMachineMayReadTheToken(_ origin: String) async throws {
        let response = try await mint(origin: origin)
        #expect(response.status == 200)
        #expect(response.field("Access-Control-Allow-Origin") == origin)
        #expect(response.field("Vary") == "Origin")
    }

    @Test func aPageOfThisMachineMayReadWhyThereIsNone() async throws {
        let response = try await mint(origin: "http://127.0.0.1:8080", body: "[]")
        #expect(response.status == 400)
        #expect(response.field("Access-Control-Allow-Origin") == "http://127.0.0.1:8080")
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost:8080.evil.example",
        "http://127.0.0.1:x", "https://127.0.0.1:8080", nil,
    ])
    func aPageFromElsewhereMayNot(_ origin: String?) async throws {
        for method in ["POST", "OPTIONS"] {
            let response = try await mint(method, origin: origin)
            #expect(response.field("Access-Control-Allow-Origin") == nil)
            #expect(response.field("Vary") == "Origin")
        }
    }

    @Test func aPreflightIsAnswered() async throws {
        let response = try await mint("OPTIONS", origin: "http://localhost:8080", body: "")
        #expect(response.status == 204)
        #expect(response.field("Access-Control-Allow-Origin") == "http://localhost:8080")
        #expect(response.field("Access-Control-Allow-Methods") == "POST")
        #expect(response.field("Access-Control-Allow-Headers") == "content-type")
    }
}
