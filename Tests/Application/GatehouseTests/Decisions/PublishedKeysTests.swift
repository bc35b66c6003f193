import Forwarding
import GatewayConfiguration
import JOSE
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

/// The keys of assertions on the public listener, and requests whose assertion cannot be signed.
@Suite struct PublishedKeysTests {
    private let folder: ScratchFolder
    private let key: SigningKey

    init() throws {
        folder = try ScratchFolder()
        let pem = try SigningKey.generate(.es256, keyID: "").pem()
        key = try SigningKey(pem: pem, algorithm: .es256)
        try folder.write(String(decoding: pem, as: UTF8.self), to: "key.pem")
    }

    private func rig(sign: AssertionSigner.Sign? = nil) throws -> RequestPathRig {
        let file = folder.path("key.pem")
        return try RequestPathRig({ $0.headers.assertion = Configuration.Assertion(key: file) }, sign: sign)
    }

    private func request(_ method: String, _ path: String = "/.gatehouse/jwks.json", _ fields: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: any\r\n\(fields)\r\n"
    }

    @Test func `keys are published without authentication`() throws {
        let rig = try rig()
        let response = try rig.send(request("GET")).readMessage()
        #expect(response.status == 200 && response.value("Content-Type") == "application/jwk-set+json")
        #expect(response.value("Cache-Control") == "public, max-age=300")
        let set = try KeySet(jwkSet: Array(response.body.utf8))
        #expect(set.keys.map(\.keyID) == [key.keyID] && !response.body.contains("\"d\""))
    }

    @Test func `the connection serves further requests`() throws {
        let rig = try rig()
        let client = try rig.send(
            request("HEAD") + request("GET", "/.gatehouse/jwks.json?x=1", "Content-Length: 2\r\n") + "{}"
                + request("GET"))
        let head = try client.readMessage(hasBody: false)
        let (first, second) = (try client.readMessage(), try client.readMessage())
        #expect(head.status == 200 && head.value("Content-Length") == "\(first.body.utf8.count)")
        #expect(first.status == 200 && second.body == first.body && second.value("Connection") == nil)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
    func `other methods are not allowed`(_ method: String) throws {
        let rig = try rig()
        let response = try rig.send(request(method)).readMessage()
        #expect(response.status == 405 && response.value("Allow") == "GET, HEAD")
    }

    @Test(arguments: [
        "/.gatehouse/jwks.json/", "/.gatehouse/JWKS.json", "//.gatehouse/jwks.json", "/.gatehouse/%6awks.json",
        "/.gatehouse/./jwks.json", "/x/../.gatehouse/jwks.json", "/.gatehouse/jwks", "/.gatehouse/",
    ]) func `only the canonical path serves the keys`(_ path: String) throws {
        let rig = try rig()
        #expect(try rig.send(request("GET", path)).readMessage().status == 404)
    }

    @Test func `without an assertion no keys are published`() throws {
        let rig = try RequestPathRig()
        #expect(try rig.send(request("GET")).readMessage().status == 404)
    }

    @Test func `a request whose assertion cannot be signed is not forwarded`() throws {
        let rig = try rig { _ in nil }
        try rig.installKeys()
        let token = TokenDraft.idToken().signed()
        try rig.send(request("GET", "/private/x", "Authorization: Bearer \(token)\r\n"))
            .expectProblem(500, "gateway/internal")
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `a retry carries the same assertion`() throws {
        let rig = try rig()
        try rig.installKeys()
        let (warmed, server) = try rig.warm()
        let client = try rig.connect()
        try client.send(request("GET", "/private/x", "Authorization: Bearer \(TokenDraft.idToken().signed())\r\n"))
        let first = try server.readHead().value("X-Auth-Assertion")
        server.reset()
        #expect(try rig.upstream.accept().readHead().value("X-Auth-Assertion") == first)
        #expect(first != nil)
        _ = warmed
    }
}
