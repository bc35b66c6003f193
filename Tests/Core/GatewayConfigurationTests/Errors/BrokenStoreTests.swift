import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct BrokenStoreTests {
    static let urls: [(url: String, message: String)] = [
        ("redis:h", "has no '//' after its scheme; write redis://HOST:PORT"),
        ("redis:/h", "has no '//' after its scheme"),
        ("rediss", "is of an unknown kind; write sqlite:PATH, redis://HOST"),
        ("redis+cluster://h", "is of an unknown kind"), ("http://h", "is of an unknown kind"),
        ("redis://", "has an address without a host"), ("redis://:6379", "has an address without a host"),
        ("redis://u:p@", "has an address without a host"), ("redis://h:", "has an address with a bad port"),
        ("redis://h:0", "has an address with port 0; name the port"),
        ("redis://h:65536", "has an address with a bad port; a port is a number up to 65535"),
        ("redis://h:06379", "has an address with a bad port"), ("redis://h:6379x", "has an address with a bad port"),
        ("redis://::1", "has an IPv6 address without brackets"),
        ("redis://[::1", "has an address with a bad IPv6 host"),
        ("redis://[::1]x", "has an address with junk after ']'"), ("redis://h_-", "has an address with a bad host"),
        ("redis://h/x", "has a bad database; a database is a number up to 2147483647"),
        ("redis://h/-1", "has a bad database"), ("redis://h/01", "has a bad database"),
        ("redis://h/2147483648", "has a bad database"), ("redis://h/0/", "has a bad database"),
        ("redis://h//", "has a bad database"), ("redis://h?db=1", "has a '?' or '#' in its URL; remove it"),
        ("redis://h#x", "has a '?' or '#' in its URL"),
        ("redis://h,i", "has more than one host; write redis+sentinel://"),
        ("redis://h h", "has spaces or other than ASCII characters"),
        ("redis://\u{e9}", "has spaces or other than ASCII characters"),
        ("redis+sentinel://h", "has no name of a master; write redis+sentinel://HOST,HOST/NAME"),
        ("redis+sentinel://h/", "has no name of a master"), ("redis+sentinel://h//1", "has no name of a master"),
        ("redis+sentinel://h/a%20b", "has a bad name of a master"), ("redis+sentinel://h/n/", "has a bad database"),
        ("redis+sentinel://h/n/x", "has a bad database"), ("redis+sentinel://a,,b/n", "has an address without a host"),
        ("redis+sentinel://a,A:26379/n", "has a sentinel twice; remove one of them"),
        ("redis+sentinel:///n", "has an address without a host"),
        ("redis://user@h", "has a user without a password; add password"),
        ("redis://hunter2:@h", "has an empty password in its URL"),
        ("redis://u:hunter%@h", "has a '%' without two digits in its user or password; write %25 for a %"),
        ("redis://u:hunter%2@h", "has a '%' without two digits"),
        ("redis://u:hunter2%FF@h", "has a user or password that is not UTF-8"),
        ("redis://u:hunter2%00@h", "has a user or password that is not UTF-8"),
        ("redis://u:hunter2@x@h", "has a character in its user or password that means something in URLs"),
        ("redis://u:hunter2:x@h", "has a character in its user or password"),
        ("redis://u:hunter/2@h", "has a '/' before '@' in its URL; write / as %2F"),
        ("redis://u:hunter?2@h", "has a '?' or '#' in its URL"),
    ]

    @Test(arguments: urls) func aURLIsRefusedWithLineAndColumn(_ url: String, _ message: String) throws {
        BrokenConfiguration.section("store: '\(url)'", "1:8 store \(message)").check()
    }

    @Test(arguments: urls) func noMessageShowsAnythingOfTheURL(_ url: String, _ message: String) {
        for error in ConfigurationTesting.errors(in: "store: '\(url)'\n" + BrokenConfiguration.rest) {
            #expect(!"\(error.what); \(error.remedy)".contains("hunter"))
        }
    }

    static let mappings: [BrokenConfiguration] = [
        .section("store: {}", "1:8 store is an empty mapping"),
        .section("store: { url: null }", "1:15 store.url is null"),
        .section("store: []", "1:8 store is an empty list"),
        .section(
            "store: { uri: 'redis://h' }", "1:8 store.url", "1:10 unknown key 'uri' in store; did you mean 'url'?"),
        .section("store: { url: 'redis://h?' }", "1:15 store.url has a '?' or '#' in its URL"),
        .section("store: { url: 'sqlite:' }", "1:15 store.url names no file"),
        .section(
            "store: { url: 'sqlite:a', password: x }", "1:27 store.password for a store that is no Redis; remove it"),
        .section("store: { url: 'sqlite::memory:', ca: x }", "1:34 store.ca for a store that is no Redis"),
        .section("store: { url: 'redis://h', ca: x }", "1:28 store.ca without TLS; write rediss:// or remove it"),
        .section(
            "store: { url: 'redis://h', certificate: x, private_key: y }", "1:28 store.cert", "1:44 store.private_key"),
        .section("store: { url: 'rediss://h', certificate: x }", "1:29 store.certificate without private_key; add"),
        .section("store: { url: 'rediss://h', private_key: x }", "1:29 store.private_key without certificate; add"),
        .section("store: { url: 'redis://h', username: x }", "1:15 store has a user without a password; add password"),
        .section("store: { url: 'redis://h', username: 5, password: y }", "1:38 store.username is '5', not a text"),
        .section("store: { url: 'redis://a:b@h', username: x }", "1:32 store.username which the url has too; keep one"),
        .section("store: { url: 'redis://:b@h', password: x }", "1:31 store.password which the url has too; keep one"),
        .section("store: { url: 'redis://h', password: '' }", "1:38 store.password is empty; write a value"),
        .section("store: { url: 'redis://h', password: [hunter2] }", "1:38 store.password is not a text"),
        .section(
            #"store: { url: 'redis://h', password: "hun\nter" }"#, "1:38 store.password contains a control character"),
        .section("store: { url: 'redis://h', sentinel_password: x }", "1:28 store.sentinel_password without sentinels"),
        .section(
            "store: { url: 'rediss://h', sentinel_username: x }", "1:29 store.sentinel_username without sentinels"),
        .section(
            "store: { url: 'redis+sentinel://h/n', sentinel_username: x }",
            "1:15 store has a user of the sentinels without a password; add sentinel_password"),
    ]

    @Test(arguments: mappings) func aMappingIsRefusedWithLineAndColumn(_ broken: BrokenConfiguration) {
        broken.check()
    }
}
