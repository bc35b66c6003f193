import HTTPWire
import Testing

@testable import SystemFixtures

struct ManagedFieldMatcherTests {
    private static let matcher = ManagedFieldMatcher(
        exact: ["X-Auth", "Forwarded", "X-Real-IP", "True-Client-IP", "X-HTTP-Method", ""],
        prefixes: ["X-Auth-", "x-forwarded-", "X_Original_", "X-Envoy-Original-", ""])

    private func matches(_ name: some Sequence<UInt8>) -> Bool {
        Array(name).withUnsafeBytes { ManagedFieldMatcherTests.matcher.matches($0) }
    }

    @Test(arguments: [
        "X-Auth", "x-auth", "X_AUTH", "x.auth", "X-Auth-Uid", "X_Auth_Uid", "X-Auth_Uid", "x_auth-uid", "X!Auth~Uid",
        "x-auth-", "X-Auth-Anything-At-All", "X-Forwarded-For", "X_Forwarded_Proto", "x-forwarded-", "Forwarded",
        "FORWARDED", "x-real-ip", "X_Real.IP", "True_Client_IP", "X-Original-URL", "x-original_",
        "X-Envoy-Original-Path", "x_envoy_original_path", "X-HTTP-Method", "X_HTTP_METHOD",
    ])
    func `A-03: every spelling of a managed name is managed`(name: String) {
        #expect(matches(name.utf8))
    }

    @Test(arguments: [
        "", "X", "X-", "X-Aut", "X-Authorization", "XAuth", "X--Auth", "-X-Auth", "X-Forwarded", "XForwarded-For",
        "Forwarded-For", "Forwarde", "X-Real-IPs", "X-Real-I", "True-Client-IP-", "X-Original", "X-Envoy-Origina",
        "X-HTTP-Method-Override", "Host", "Accept", "Y-Auth-Uid", "_", "-", "X-Auuh", "X-Fprwarded-For",
    ])
    func `other names are not managed`(name: String) {
        #expect(!matches(name.utf8))
    }

    @Test func `every byte that is neither a letter nor a digit is a separator`() {
        for byte in UInt8.min...UInt8.max {
            let name = Array("X".utf8) + [byte] + Array("Auth".utf8) + [byte] + Array("Uid".utf8)
            let scalar = Character(UnicodeScalar(byte))
            let alphanumeric = byte < 0x80 && (scalar.isLetter || scalar.isNumber)
            #expect(matches(name) == !alphanumeric, "byte \(byte)")
        }
    }

    @Test func `an entry may begin with any byte`() {
        let matcher = ManagedFieldMatcher(exact: ["_secret", "9lives"], prefixes: ["-"])
        for name in ["-secret", "_anything", "9LIVES", ".x"] {
            #expect(Array(name.utf8).withUnsafeBytes { matcher.matches($0) }, "\(name)")
        }
        #expect(!Array("9live".utf8).withUnsafeBytes { matcher.matches($0) })
    }

    @Test func `an empty matcher matches nothing`() {
        let matcher = ManagedFieldMatcher(exact: [], prefixes: [])
        #expect(!Array("x".utf8).withUnsafeBytes { matcher.matches($0) })
        #expect(!matcher.matches(UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    @Test func `random names match the plain rule`() {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("xX-_authAUTH.".utf8)
        for _ in 0..<Thoroughness.rounds(5_000, full: 20_000) {
            let name = (0..<Int.random(in: 0...10, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let plain = String(decoding: name, as: UTF8.self).lowercased().map { $0.isLetter ? $0 : "-" }
            let managed = String(plain) == "x-auth" || String(plain).hasPrefix("x-auth-")
            #expect(matches(name) == managed, "\(String(plain))")
        }
    }
}
