import DevelopmentIdentity
import Testing

/// The origins whose pages may read minted tokens.
@Suite(.provider) struct MintSharingTests {
    private let provider: DevelopmentProvider

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func mint(_ method: String = "POST", origin: String?, body: String = "{}") async throws -> Response {
        let fields = origin.map { "Origin: \($0)\r\n" } ?? ""
        return try await provider.response("/mint", method: method, fields: fields, body: body)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://localhost:8080", "http://localhost"])
    func `a page of this machine may read tokens and errors`(_ origin: String) async throws {
        for (body, status) in [("{}", 200), ("[]", 400)] {
            let response = try await mint(origin: origin, body: body)
            #expect(response.status == status)
            #expect(response.field("Access-Control-Allow-Origin") == origin)
            #expect(response.field("Vary") == "Origin")
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost:8080.evil.example",
        "http://127.0.0.1:x", "https://127.0.0.1:8080", nil,
    ])
    func `a page of another machine may read neither`(_ origin: String?) async throws {
        for method in ["POST", "OPTIONS"] {
            let response = try await mint(method, origin: origin)
            #expect(response.field("Access-Control-Allow-Origin") == nil)
            #expect(response.field("Vary") == "Origin")
        }
    }

    @Test func `a preflight gets a response`() async throws {
        let response = try await mint("OPTIONS", origin: "http://localhost:8080", body: "")
        #expect(response.status == 204)
        #expect(response.field("Access-Control-Allow-Origin") == "http://localhost:8080")
        #expect(response.field("Access-Control-Allow-Methods") == "POST")
        #expect(response.field("Access-Control-Allow-Headers") == "content-type")
    }
}
