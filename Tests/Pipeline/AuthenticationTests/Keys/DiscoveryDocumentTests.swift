import JOSE
import OutboundHTTP
import Testing

@testable import Authentication

@Suite struct DiscoveryDocumentTests {
    private static let issuer = "https://id.example"

    private func read(
        issuer: String? = "\"https://id.example\"", keys: String? = "\"https://id.example/keys\"",
        algorithms: String? = nil, from url: String = "https://id.example/.well-known/openid-configuration"
    ) throws(KeyFetchError) -> DiscoveryDocument {
        let members = [
            ("issuer", issuer), ("jwks_uri", keys), ("id_token_signing_alg_values_supported", algorithms),
        ]
        let text = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
        return try DiscoveryDocument(Array("{\(text)}".utf8), from: url, issuer: Self.issuer)
    }

    private func failure(_ body: () throws(KeyFetchError) -> DiscoveryDocument) -> KeyFetchError? {
        do throws(KeyFetchError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func itTellsWhereTheKeysAreAndWhatSigns() throws {
        let document = try read(algorithms: #"["none","HS256","ES256","RS256","XX1"]"#)
        #expect(document.keysURL == "https://id.example/keys")
        #expect(document.algorithms == [.es256, .rs256])
        #expect(try read().algorithms == nil)
        #expect(try read(algorithms: #"["HS256"]"#).algorithms == [])
    }

    @Test(
        "F-16: another issuer's document is refused",
        arguments: [
            "https://evil.example", "https://id.example.evil.example", "https://ID.example", "http://id.example",
            "https://id.example/x", "https://id.example ", "",
        ])
    func f16Issuers(issuer: String) {
        let error = failure { () throws(KeyFetchError) in try read(issuer: "\"\(issuer)\"") }
        #expect(error?.code == .issuerMismatch)
        #expect(error?.detail.contains("slash") == false)
    }

    @Test("F-24: a slash at the end is told as such")
    func f24Slash() {
        let error = failure { () throws(KeyFetchError) in try read(issuer: "\"https://id.example/\"") }
        #expect(error?.code == .issuerMismatch)
        #expect(error?.detail.contains("they differ by the slash at the end") == true)
    }

    @Test(arguments: [nil, "null", "7", "[]"])
    func withoutAnIssuerItIsNone(issuer: String?) {
        #expect(failure { () throws(KeyFetchError) in try read(issuer: issuer) }?.code == .notADiscovery)
    }

    @Test(
        "F-14: keys come over https",
        arguments: [
            nil, "null", "\"\"", "\"http://id.example/keys\"", "\"file:///etc/passwd\"", "\"/keys\"", "\"//x/keys\"",
            "\"ftp://id.example/keys\"", "\"data:,x\"", "[\"https://id.example/keys\"]",
        ])
    func keysURLs(keys: String?) {
        #expect(failure { () throws(KeyFetchError) in try read(keys: keys) }?.code == .notADiscovery)
    }

    @Test func onlyADocumentOverPlainHTTPMayNameKeysOverPlainHTTP() throws {
        let plain = "http://127.0.0.1:8080/.well-known/openid-configuration"
        #expect(try read(keys: "\"http://127.0.0.1:8080/keys\"", from: plain).keysURL == "http://127.0.0.1:8080/keys")
        #expect(try read(from: plain).keysURL == "https://id.example/keys")
        #expect(failure { () throws(KeyFetchError) in try read(keys: "\"file:///x\"", from: plain) } != nil)
    }

    @Test(
        "F-14: a document of this machine leads to no other machine without TLS",
        arguments: [
            "http://192.0.2.1/keys", "http://id.example/keys", "http://127.0.0.1.id.example/keys",
            "http://127.0.0.1:8080@192.0.2.1/keys", "http://192.0.2.1:8080/keys#@127.0.0.1",
        ])
    func f14OtherMachines(keys: String) throws {
        let local = "http://127.0.0.1:8080/.well-known/openid-configuration"
        let error = failure { () throws(KeyFetchError) in try read(keys: "\"\(keys)\"", from: local) }
        #expect(error?.code == .notADiscovery)
    }

    /// The configuration had to say `insecure_http` for it.
    @Test func aDocumentOfAnotherMachineOverPlainHTTPMayNameKeysThere() throws {
        let other = "http://id.test/.well-known/openid-configuration"
        #expect(try read(keys: "\"http://keys.test/keys\"", from: other).keysURL == "http://keys.test/keys")
    }

    @Test(arguments: ["null", "\"RS256\"", "{}", "[\"RS256\",1]"])
    func aListOfAlgorithmsIsAListOfNames(list: String) {
        #expect(failure { () throws(KeyFetchError) in try read(algorithms: list) }?.code == .notADiscovery)
    }

    @Test(arguments: ["", "<html>", "[]", "null", "{\"issuer\":\"https://id.example\",\"issuer\":\"x\"}"])
    func whatIsNoJSONObjectIsNone(text: String) {
        let error = failure { () throws(KeyFetchError) in
            try DiscoveryDocument(Array(text.utf8), from: "https://id.example", issuer: Self.issuer)
        }
        #expect(error?.code == .notADiscovery)
    }

    @Test func aForeignIssuerCannotDriveATerminal() {
        let error = failure { () throws(KeyFetchError) in try read(issuer: #""https://x\u001b[2J\u202e""#) }
        #expect(error?.detail.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
        #expect((error?.detail.count ?? 0) <= 200)
    }
}
