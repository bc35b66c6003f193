import GatewayCore
import Redis
import Testing

@testable import RevocationStores
@testable import SystemFixtures

/// The text of a password file, and of the output of a program.
@Suite struct FetchedCredentialsTests {
    private static func parsed(_ text: String) -> Result<FetchedCredentials, FetchedCredentials.Failure> {
        Result { () throws(FetchedCredentials.Failure) in
            try FetchedCredentials(parsing: Array(text.utf8), username: "configured")
        }
    }

    @Test(
        arguments: [
            ("secret", "configured", "secret", nil), (" secret \r\n", "configured", "secret", nil),
            ("a b\n", "configured", "a b", nil), ("\u{e9}", "configured", "\u{e9}", nil),
            (#"{"password":"p"}"#, "configured", "p", nil),
            (#" {"username":"u","password":" p","expires_at":1790000000,"more":[1]} "#, "u", " p", 1_790_000_000),
        ] as [(String, String, String, Int64?)])
    func `the text is a password or an object`(text: String, user: String, password: String, expires: Int64?) throws {
        let fetched = try Self.parsed(text).get()
        #expect(fetched.credentials == RedisCredentials(username: user, password: password))
        #expect(fetched.expires?.seconds == expires)
    }

    @Test(arguments: [
        "", " \n", "a\nb", "a\u{0}b", "{}", "{", #"{"password":""}"#, #"{"password":7}"#, #"{"password":"a\nb"}"#,
        #"{"password":"p","expires_at":"soon"}"#, #"{"password":"p","expires_at":-1}"#,
        #"{"password":"p","expires_at":100000000001}"#, #"{"password":"p","username":""}"#,
        String(repeating: "a", count: 65_537), String(repeating: "{\"a\":", count: 10_000),
    ])
    func `other text is rejected`(text: String) {
        guard case .failure(let failure) = Self.parsed(text) else {
            Issue.record("accepted")
            return
        }
        #expect(failure.description.count < 100)
    }

    @Test func `bytes that are not UTF-8 are rejected`() {
        #expect(throws: FetchedCredentials.Failure("not UTF-8")) {
            try FetchedCredentials(parsing: [0x61, 0xff], username: nil)
        }
    }

    @Test func `a file is read up to its bound`() async throws {
        let folder = try ScratchFolder()
        try folder.write("secret\n", to: "password")
        #expect(try await PasswordFile.content(of: folder.path("password")).get() == Array("secret\n".utf8))
        try folder.write(String(repeating: "a", count: 200_000), to: "large")
        #expect(try await PasswordFile.content(of: folder.path("large")).get().count == 65_537)
        for path in [folder.path("absent"), folder.path] {
            guard case .failure = await PasswordFile.content(of: path) else {
                Issue.record("\(path) was read")
                return
            }
        }
    }

    @Test func `a program is run with its arguments and the environment`() async throws {
        let script = "printf '%s:' \"$0\" \"$1\"; pwd"
        let output = await CredentialCommand.output(of: ["/bin/sh", "-c", script, "a b", "c"])
        #expect(String(decoding: try output.get(), as: UTF8.self).hasPrefix("a b:c:/"))
        #expect(try await CredentialCommand.output(of: ["/bin/cat"]).get().isEmpty)
    }

    @Test(arguments: [
        (["/absent"], "cannot be run"), (["/bin/sh", "-c", "echo secret; exit 3"], "status 3"),
        (["/bin/sh", "-c", "kill -9 $$"], "failed"),
        (["/bin/sh", "-c", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaa; done"], "more than 65536 bytes"),
    ])
    func `a program that fails has no output`(arguments: [String], reason: String) async {
        let output = await CredentialCommand.output(of: arguments, within: .seconds(60))
        guard case .failure(let failure) = output else {
            Issue.record("\(arguments) succeeded")
            return
        }
        #expect(failure.description.contains(reason))
    }

    @Test(arguments: ["sleep 100", "exec >&-; sleep 100", "sleep 100 & echo secret"])
    func `a program that takes too long is killed`(script: String) async {
        let output = await CredentialCommand.output(of: ["/bin/sh", "-c", script], within: .milliseconds(100))
        #expect(output == .failure(FetchedCredentials.Failure("the program did not end within its time")))
    }
}
