import Forwarding
import Foundation
import GatewayConfiguration
import JOSE
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

/// The keys of assertions on the public listener, and requests whose assertion cannot be signed.
@Suite struct PublishedKeysTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-\(UUID().uuidString)")
    private let file: String
    private let key: SigningKey

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pem = try SigningKey.generate(.es256, keyID: "").pem()
        key = try SigningKey(pem: pem, algorithm: .es256)
        file = folder.appending(path: "key.pem").path
        try Data(pem).write(to: URL(filePath: file))
    }

    private func rig(sign: AssertionSigner.Sign? = nil) throws -> RequestPathRig {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = file
        return try RequestPathRig({ $0.headers.assertion = Configuration.Assertion(key: file) }, sign: sign)
    }

    private func request(_ method: String, _ path: String = "/.gatehouse/jwks.json", _ fields: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: any\r\n\(fields)\r\n"
    }

    @Test func arePublishedToAnybody() throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(request("GET"))
        let answer = try client.readMessage()
        #expect(answer.status == 200 && answer.value("Content-Type") == "application/jwk-set+json")
        #expect(answer.value("Cache-Control") == "public, max-age=300")
        let set = try KeySet(jwkSet: Array(answer.body.utf8))
        #expect(set.keys.map(\.keyID) == [key.keyID] && !answer.body.contains("\"d\""))
    }

    @Test func theConnectionGoesOn() throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(
            request("HEAD") + request("GET", "/.gatehouse/jwks.json?x=1", "Content-Length: 2\r\n") + "{}"
                + request("GET"))
        let head = try client.readMessage(hasBody: false)
        let (first, second) = (try client.readMessage(), try client.readMessage())
        #expect(head.status == 200 && head.value("Content-Length") == "\(first.body.utf8.count)")
        #expect(first.status == 200 && second.body == first.body && second.value("Connection") == nil)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"]) func otherMethodsAreNotAllowed(_ method: String)
        throws
    {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(request(method))
        let answer = try client.readMessage()
        #expect(answer.status == 405 && answer.value("Allow") == "GET, HEAD")
    }

    @Test(arguments: [
        "/.gatehouse/jwks.json/", "/.gatehouse/JWKS.json", "//.gatehouse/jwks.json", "/.gatehouse/%6awks.json",
        "/.gatehouse/./jwks.json", "/x/../.gatehouse/jwks.json", "/.gatehouse/jwks", "/.gatehouse/",
    ]) func onlyTheCanonicalPathIsAnswered(_ path: String) throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(request("GET", path))
        #expect(try client.readMessage().status == 404)
    }

    @Test func withoutAnAssertionThereAreNone() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(request("GET"))
        #expect(try client.readMessage().status == 404)
    }

    @Test func aRequestWhoseAssertionCannotBeSignedIsNotForwarded() throws {
        let rig = try rig { _ in nil }
        try rig.installKeys()
        let client = try rig.connect()
        let token = TokenDraft.idToken().signed()
        try client.send(request("GET", "/private/x", "Authorization: Bearer \(token)\r\n"))
        let answer = try client.readMessage()
        #expect(answer.status == 500 && answer.body.contains("gateway/internal"))
        #expect(!rig.upstream.hasConnection)
    }

    @Test func aRetryCarriesTheSameAssertion() throws {
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
