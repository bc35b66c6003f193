import GatewayCore
import Revocation
import Testing
import TextCoding

@testable import StoreFixtures
@testable import SystemFixtures

@Suite struct RedisKeysTests {
    private func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    /// The kind of a key and the names in it. `nil` for a malformed key.
    private func parse(_ key: [UInt8]) -> (key: RedisRecordKey, names: [UInt8])? {
        var names = Array("left over".utf8)
        return key.withUnsafeBytes { RedisRecordKey(parsing: $0, names: &names) }.map { ($0, names) }
    }

    @Test(arguments: [
        ("ann", "gatehouse:user:{ann}"),
        ("a b", "gatehouse:user:{a%20b}"),
        ("100%", "gatehouse:user:{100%25}"),
        ("{a}:b", "gatehouse:user:{%7Ba%7D%3Ab}"),
        ("apple.com:001.ab", "gatehouse:user:{apple.com%3A001.ab}"),
        ("\u{e9}", "gatehouse:user:{%C3%A9}"),
        ("a/b?c=d&e+f\"'*[]\\~", "gatehouse:user:{a/b?c=d&e+f\"'*[]\\~}"),
    ])
    func `the key of a user follows the contract`(_ uid: String, _ key: String) {
        #expect(text(RedisKeys.user(UserKey(uid))) == key)
    }

    @Test(arguments: [
        ("ann", "1700000000", "gatehouse:session:{ann}:1700000000"),
        ("ann", "apple.com:17", "gatehouse:session:{ann}:apple.com%3A17"),
        ("a:b", "c:d", "gatehouse:session:{a%3Ab}:c%3Ad"),
        ("a}:b", "{c}", "gatehouse:session:{a%7D%3Ab}:%7Bc%7D"),
    ])
    func `the key of a session follows the contract`(_ uid: String, _ session: String, _ key: String) {
        #expect(text(RedisKeys.session(UserKey(uid), session)) == key)
    }

    @Test func `a tenant's user is spelled with the tenant before the uid`() throws {
        let user = UserKey(uid: "apple.com:1", tenant: "acme-x1")
        #expect(text(RedisKeys.user(user)) == "gatehouse:user:{acme-x1:apple.com%3A1}")
        #expect(text(RedisKeys.session(user, "17")) == "gatehouse:session:{acme-x1:apple.com%3A1}:17")
        #expect(text(RedisKeys.account(user)) == "gatehouse:account:{acme-x1:apple.com%3A1}")
        let (kind, names) = try #require(parse(RedisKeys.session(user, "17")))
        #expect(kind == .session(nameCount: user.name.utf8.count))
        #expect(names == Array("\(user.name)17".utf8))
        #expect(try #require(parse(RedisKeys.user(user))).names == Array(user.name.utf8))
    }

    @Test(arguments: [
        (UserKey(uid: "ann", tenant: "acme-x1", project: "my-app"), "gatehouse:user:{my-app:acme-x1:ann}"),
        (UserKey(uid: "a:b", tenant: nil, project: "my-app"), "gatehouse:user:{my-app::a%3Ab}"),
        (UserKey(uid: "ann", tenant: nil, project: "e.com:my-app"), "gatehouse:user:{e.com%3Amy-app::ann}"),
    ])
    func `a project's user is spelled with the project before the tenant`(_ user: UserKey, _ key: String) throws {
        #expect(text(RedisKeys.user(user)) == key)
        let (kind, names) = try #require(parse(RedisKeys.session(user, "17")))
        #expect(kind == .session(nameCount: user.name.utf8.count))
        #expect(names == Array("\(user.name)17".utf8))
        #expect(try #require(parse(RedisKeys.user(user))).names == Array(user.name.utf8))
    }

    @Test func `every scalar survives the round trip`() throws {
        let scalars = (UInt32(0x20)...0x10FFFF).lazy.filter { $0 != 0x7F }.compactMap(Unicode.Scalar.init)
        var name = String.UnicodeScalarView()
        var number = 0
        for scalar in scalars {
            name.append(scalar)
            guard name.count == 64 || scalar.value == 0x10FFFF else { continue }
            defer { name = String.UnicodeScalarView() }
            // All scalars of up to two bytes, and each eighth block of the others.
            number += 1
            guard scalar.value < 0x800 || number.isMultiple(of: 8) || Thoroughness.isFull else { continue }
            try expectToComeBack(String(name))
        }
    }

    private func expectToComeBack(_ name: String) throws {
        let (key, names) = try #require(parse(RedisKeys.user(UserKey(name))))
        let isSame = key == .user && names.elementsEqual(name.utf8)
        #expect(
            isSame, "a name from U+\(String(name.unicodeScalars.first?.value ?? 0, radix: 16)) on is a different name")
    }

    @Test(arguments: ["ann", "{a}:b", " ", "\u{e9}\u{1F600}", "apple.com:1"])
    func `a session and its user survive the round trip`(_ name: String) throws {
        let (key, names) = try #require(parse(RedisKeys.session(UserKey(name), "s\(name)")))
        #expect(key == .session(nameCount: name.utf8.count))
        #expect(names == Array("\(name)s\(name)".utf8))
    }

    @Test func `a key is visible ASCII with one hash tag`() {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let key = RedisKeys.session("a\(scalar)b", "c\(scalar)d")
            guard key.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), key.count(where: { $0 == UInt8(ascii: "{") }) == 1,
                key.count(where: { $0 == UInt8(ascii: "}") }) == 1, key.count(where: { $0 == UInt8(ascii: ":") }) == 3
            else {
                Issue.record("U+\(String(value, radix: 16)) is spelled \(text(key))")
                return
            }
        }
    }

    @Test func `a name is escaped as in the header, and braces and colons too`() {
        let name = String(decoding: UInt8(0)...0x7f, as: UTF8.self) + "\u{e9}\u{1F600}"
        var header: [UInt8] = []
        for byte in name.utf8 {
            if PercentEncoding.isPlain(byte) {
                header.append(byte)
            } else {
                PercentEncoding.appendEscape(byte, to: &header)
            }
        }
        let spelled = text(header).replacing(":", with: "%3A").replacing("{", with: "%7B").replacing("}", with: "%7D")
        #expect(text(RedisKeys.user(UserKey(name))) == "gatehouse:user:{\(spelled)}")
    }

    @Test(arguments: [
        "", "gatehouse:user:", "gatehouse:user:{", "gatehouse:user:{}", "gatehouse:user:{ann", "gatehouse:user:{ann}x",
        "gatehouse:user:ann", "gatehouse:user:{apple.com:1}", "gatehouse:user:{a:}", "gatehouse:user:{:b}",
        "gatehouse:user:{a:b:c:d}", "gatehouse:user:{a::}", "gatehouse:user:{:b:c}", "gatehouse:user:{a:b.c:d}",
        "gatehouse:user:{microsoft.com:b:c}", "gatehouse:user:{a/b::c}", "gatehouse:user:{a%1Fb}",
        "gatehouse:user:{%00}", "gatehouse:session:{a:b%7F}:1",
        "gatehouse:user:{a{b}", "gatehouse:user:{a b}",
        "gatehouse:user:{\u{e9}}", "gatehouse:user:{%c3%a9}", "gatehouse:user:{%61nn}", "gatehouse:user:{a%2}",
        "gatehouse:user:{a%}", "gatehouse:user:{%zz}", "gatehouse:session:{ann}", "gatehouse:session:{ann}:",
        "gatehouse:session:{}:1", "gatehouse:session:{ann}1", "gatehouse:session:{ann}:1:2",
        "gatehouse:session:{ann}:%31", "gatehouse:session:{ann}:a}", "gatehouse:changes", "gatehouse:account:{ann}",
        "Gatehouse:user:{ann}", "x:gatehouse:user:{ann}",
    ])
    func `a key that is not canonical is not a record`(_ key: String) {
        #expect(parse(Array(key.utf8)) == nil)
    }

    @Test func `names have the bounds of the store`() {
        let longest = String(repeating: "\u{1F600}", count: 128)
        #expect(parse(RedisKeys.user(UserKey(longest)))?.names.count == 512)
        #expect(parse(RedisKeys.user(UserKey(longest + "a"))) == nil)
        let session = String(repeating: "a", count: 256)
        let tenant = String(repeating: "t", count: 128)
        let key = RedisKeys.session(UserKey(uid: longest, tenant: tenant, project: tenant), session)
        #expect(parse(key)?.names.count == RedisRecordKey.maximumNames)
        #expect(parse(RedisKeys.user(UserKey(uid: "a", tenant: tenant + "t"))) == nil)
        #expect(parse(RedisKeys.user(UserKey(uid: "a", tenant: nil, project: tenant + "t"))) == nil)
        #expect(parse(RedisKeys.session(UserKey(longest), session + "a")) == nil)
    }
}
