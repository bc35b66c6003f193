import OutboundHTTP
import Testing

@Suite struct KeyNamesTests {
    @Test(
        "a source's name has no user, password or query",
        arguments: [
            ("https://id.example/keys", "https://id.example/keys"),
            ("https://id.example/keys?p=secret#x", "https://id.example/keys"),
            ("https://user:pass@id.example:8443/a@b", "https://id.example:8443/a@b"),
            ("https://u@x:pass@id.example", "https://id.example"), ("nonsense", "nonsense"),
        ])
    func sourceNames(url: String, name: String) {
        #expect(KeySource.name(of: url) == name)
    }

    @Test func aFailuresDetailIsBounded() {
        let error = KeyFetchError(.unreachable, String(repeating: "x", count: 10_000))
        #expect(error.detail.count == 200)
        #expect(KeyFetchError(.closed).description == "closed")
    }
}
