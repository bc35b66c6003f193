import GatewayConfiguration
import GatewayCore
import Testing

@Suite struct SecretTests {
    let secret = Secret("hunter2")

    @Test func `a secret is never printed`() {
        var dumped = ""
        dump([secret], to: &dumped)
        var admin = Configuration.Admin()
        admin.token = secret
        for text in ["\(secret)", String(reflecting: secret), "\(admin)", String(reflecting: admin), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("104"))
        }
    }

    @Test func `a secret matches only its own bytes`() {
        #expect(secret.matches("hunter2".utf8))
        for other in ["", "h", "hunter", "hunter3", "hunter22", "Hunter2", "hunter2\0"] {
            #expect(!secret.matches(other.utf8), "\(other)")
        }
        #expect(secret == Secret(Array("hunter2".utf8)) && secret != Secret("hunter3"))
        #expect(Secret("").matches([]) && !Secret("").matches([0]))
    }
}

@Suite struct ClaimPathTests {
    @Test(arguments: [
        ("uid", ClaimPath.Root.uid, []), ("provider", .provider, []), ("token.role", .token, ["role"]),
        ("token.firebase.identities", .token, ["firebase", "identities"]),
        ("token[\"https://x.y/roles\"]", .token, ["https://x.y/roles"]),
        ("token['a.b'].c[\"d\"]", .token, ["a.b", "c", "d"]), (#"token["a\"b\\c"]"#, .token, [#"a"b\c"#]),
        ("token._x9", .token, ["_x9"]), ("token[\"\u{fc}\"]", .token, ["\u{fc}"]),
    ])
    func `a path is parsed into root and names`(text: String, root: ClaimPath.Root, names: [String]) throws {
        let path = try ClaimPath(parsing: text)
        #expect(path.root == root && path.names == names)
        #expect(try ClaimPath(parsing: path.description) == path)
    }

    @Test(arguments: [
        ("", 1, "a path begins with a name"), ("role", 1, "unknown root of a claim path"),
        ("tokens.role", 1, "unknown root of a claim path"),
        (".role", 1, "a path begins with a name"), ("token", 6, "token without a claim"),
        ("token.", 7, "a name of letters, digits and '_' is missing"), ("token..a", 7, "a name of letters"),
        ("token.9a", 7, "a name of letters"), ("token.a b", 8, "unexpected ' '"), ("token.a-b", 8, "unexpected '-'"),
        ("token[0]", 7, "a quoted name is missing after '['"), ("token[\"a\"", 10, "']' is missing after the name"),
        ("token[\"a", 9, "the quoted name does not end"), ("token[\"\"]", 8, "an empty name"),
        (#"token["\n"]"#, 8, "an unknown escape"), ("uid.x", 6, "'uid' is a string and has no members"),
        ("provider[\"x\"]", 14, "'provider' is a string"),
        ("token" + String(repeating: ".a", count: 17), 38, "more than 16 names"),
        ("token." + String(repeating: "a", count: 512), 1, "longer than 512 bytes"),
    ])
    func `an invalid path is reported with its position`(text: String, position: Int, what: String) {
        let error = #expect(throws: ClaimPathError.self) { try ClaimPath(parsing: text) }
        #expect(error?.position == position)
        #expect(error?.what.hasPrefix(what) == true, "\(error?.what ?? "")")
    }
}
