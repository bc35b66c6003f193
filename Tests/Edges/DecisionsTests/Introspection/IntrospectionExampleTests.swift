import GatewayConfiguration
import GatewayCore
import HTTPWire
import JOSE
import Testing

@testable import Decisions

/// The examples of RFC 7662.
struct IntrospectionExampleTests {
    private let clients = IntrospectionClients([
        .init(id: "resource", .secret(Secret("23410913-abewfq.123483"))),
        .init(id: "s6BhdRkqt3", .secret(Secret("gX1fBat3bV"))),
    ])

    private func client(_ field: String) throws -> String? {
        let text = """
            POST /introspect HTTP/1.1\r
            Host: server.example.com\r
            Accept: application/json\r
            Content-Type: application/x-www-form-urlencoded\r
            Authorization: \(field)\r\n\r\n
            """
        let table = FieldTable(capacity: 64)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: table)
            let request = RequestView(head: head, bytes: bytes, fields: table)
            #expect(IntrospectionForm(acceptedBy: request, canSign: true) == .json)
            return try clients.client(with: #require(clients.credential(of: request)))
        }
    }

    @Test func `section 2.1: a request with a Bearer token`() throws {
        #expect(try client("Bearer 23410913-abewfq.123483") == "resource")
        let request = try #require(IntrospectionRequest(Array("token=2YotnFZFEjr1zCsicMWpAA".utf8)))
        #expect(request.token == Array("2YotnFZFEjr1zCsicMWpAA".utf8) && request.maxAge == nil)
    }

    @Test func `section 2.1: a request with Basic and a hint`() throws {
        #expect(try client("Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW") == "s6BhdRkqt3")
        let body = "token=mF_9.B5f-4.1JqM&token_type_hint=access_token"
        #expect(IntrospectionRequest(Array(body.utf8))?.token == Array("mF_9.B5f-4.1JqM".utf8))
    }

    @Test func `section 2.2: the response for an inactive token has nothing else`() throws {
        let root = try JSONDocument(IntrospectionResponse.inactive).root
        #expect(root["active"]?.bool == false && IntrospectionResponse.inactive == Array(#"{"active":false}"#.utf8))
    }
}
