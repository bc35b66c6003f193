import JOSE
import OutboundHTTP
import Testing

@testable import Authentication

@Suite struct DiscoveryDocumentTests {
    private static let issuer = "https://id.example"

    private static let local = "http://127.0.0.1:8080/.well-known/openid-configuration"

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

    private func failure(_ body: @autoclosure () throws -> DiscoveryDocument) -> KeyFetchError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? KeyFetchError
        }
    }

    @Test func `a document names the URL and the algorithms of its keys`() throws {
        let document = try read(algorithms: #"["none","HS256","ES256","RS256","XX1"]"#)
        #expect(document.keysURL == "https://id.example/keys")
        #expect(document.algorithms == [.es256, .rs256])
        #expect(try read().algorithms == nil)
        #expect(try read(algorithms: #"["HS256"]"#).algorithms == [])
    }

    @Test(arguments: [
        "https://evil.example", "https://id.example.evil.example", "https://ID.example", "http://id.example",
        "https://id.example/x", "https://id.example ", "", "https://id.example/",
    ])
    func `F-16, F-24: the document of another issuer is rejected, and a slash at the end is reported`(
        issuer: String
    ) throws {
        let error = try #require(failure(try read(issuer: "\"\(issuer)\"")))
        #expect(error.code == .issuerMismatch)
        #expect(error.detail.contains("they differ only by a trailing slash") == (issuer == "https://id.example/"))
        #expect(error.detail.contains("slash") == (issuer == "https://id.example/"))
    }

    @Test(arguments: [nil, "null", "7", "[]"])
    func `a document without an issuer is invalid`(issuer: String?) {
        #expect(failure(try read(issuer: issuer))?.code == .notADiscovery)
    }

    @Test(arguments: [
        nil, "null", "\"\"", "\"http://id.example/keys\"", "\"file:///etc/passwd\"", "\"/keys\"", "\"//x/keys\"",
        "\"ftp://id.example/keys\"", "\"data:,x\"", "[\"https://id.example/keys\"]",
    ])
    func `F-14: the URL of keys must be https`(keys: String?) {
        #expect(failure(try read(keys: keys))?.code == .notADiscovery)
    }

    /// The configuration needs `insecure_http` for the document of another host.
    @Test(arguments: [
        (local, "http://127.0.0.1:8080/keys"), (local, "https://id.example/keys"),
        ("http://id.test/.well-known/openid-configuration", "http://keys.test/keys"),
    ])
    func `a document over plain HTTP may name keys over plain HTTP`(url: String, keys: String) throws {
        #expect(try read(keys: "\"\(keys)\"", from: url).keysURL == keys)
    }

    @Test(arguments: [
        "http://192.0.2.1/keys", "http://id.example/keys", "http://127.0.0.1.id.example/keys", "file:///x",
        "http://127.0.0.1:8080@192.0.2.1/keys", "http://192.0.2.1:8080/keys#@127.0.0.1",
    ])
    func `F-14: a document of this host names no keys of another host without TLS`(keys: String) {
        #expect(failure(try read(keys: "\"\(keys)\"", from: Self.local))?.code == .notADiscovery)
    }

    @Test(arguments: ["null", "\"RS256\"", "{}", "[\"RS256\",1]"])
    func `a list of algorithms is a list of names`(list: String) {
        #expect(failure(try read(algorithms: list))?.code == .notADiscovery)
    }

    @Test(arguments: ["", "<html>", "[]", "null", "{\"issuer\":\"https://id.example\",\"issuer\":\"x\"}"])
    func `text that is not a JSON object is not a document`(text: String) {
        let document = Array(text.utf8)
        let error = failure(try DiscoveryDocument(document, from: "https://id.example", issuer: Self.issuer))
        #expect(error?.code == .notADiscovery)
    }

    @Test func `the error on another issuer has only printable characters`() {
        let error = failure(try read(issuer: #""https://x\u001b[2J\u202e""#))
        #expect(error?.detail.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
        #expect((error?.detail.count ?? 0) <= 200)
    }
}
