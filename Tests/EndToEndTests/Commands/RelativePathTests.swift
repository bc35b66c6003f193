import Foundation
import Testing

@testable import SystemFixtures

/// Relative paths of a configuration file outside of the working directory.
struct RelativePathTests {
    private static let rules =
        "rules_version = '2'; service gatehouse.http { match /{rest=**} { allow read: if request.auth != null; } }"

    /// Runs `check config/gatehouse.yaml` in a folder with these empty stores or valid rules files.
    private func check(_ section: String, files: [String]) async throws -> CommandRun {
        let folder = try Self.folder(CheckTests.valid + section)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "logs"), withIntermediateDirectories: true)
        for file in files { try folder.write(file.hasSuffix(".rules") ? Self.rules : "", to: file) }
        return try await CommandRun.run("check", "config/gatehouse.yaml", in: folder)
    }

    private static func folder(_ yaml: String) throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let config = folder.url.appending(path: "config")
        try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
        try folder.write(yaml, to: "config/gatehouse.yaml")
        return folder
    }

    static let cases: [(section: String, files: [String], used: String, warning: String?)] = [
        ("rules: api.rules\n", ["config/api.rules"], "rules      config/api.rules:", nil),
        (
            "rules: api.rules\n", ["api.rules"], "rules      api.rules:",
            "config/gatehouse.yaml:6:8: warning: rules is 'api.rules' of the working directory, as in earlier "
                + "versions, since there is no 'config/api.rules'; write ../api.rules, relative to the folder of this file"
        ),
        (
            "rules: config/api.rules\n", ["config/api.rules"], "rules      config/api.rules:",
            "config/gatehouse.yaml:6:8: warning: rules is 'config/api.rules' of the working directory, as in earlier "
                + "versions, since there is no 'config/config/api.rules'; write api.rules, relative to"
        ),
        (
            "rules: api.rules\n", ["api.rules", "config/api.rules"], "rules      config/api.rules:",
            "config/gatehouse.yaml:6:8: warning: rules is 'config/api.rules'; 'api.rules' of the working directory, "
                + "which earlier versions used, is not used; remove the wrong one, or write an absolute path"
        ),
        ("store: 'sqlite:g.db'\n", [], "store      sqlite:config/g.db\n", nil),
        ("store: 'sqlite:g.db'\n", ["config/g.db"], "store      sqlite:config/g.db\n", nil),
        (
            "store: 'sqlite:g.db'\n", ["g.db"], "store      sqlite:g.db\n",
            "config/gatehouse.yaml:6:8: warning: store is 'g.db' of the working directory, as in earlier versions, "
                + "since there is no 'config/g.db'; write sqlite:../g.db, relative to"
        ),
        (
            "", ["gatehouse.db"], "store      sqlite:gatehouse.db\n",
            "config/gatehouse.yaml:1:1: warning: store is 'gatehouse.db' of the working directory, as in earlier "
                + "versions, since there is no 'config/gatehouse.db'; write store: sqlite:../gatehouse.db, relative to"
        ),
        (
            "log: { access: ./logs/a.log }\n", [], "config/gatehouse.yaml: valid",
            "config/gatehouse.yaml:6:16: warning: log.access is './logs/a.log' of the working directory, as in earlier "
                + "versions, since there is no 'config/./logs/a.log'; write /"
        ),
    ]

    @Test(arguments: cases)
    func `a file of the working directory is used only if the configuration's folder has no such file, with a warning`(
        section: String, files: [String], used: String, warning: String?
    ) async throws {
        let run = try await check(section, files: files)
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.output.contains(used), "\(run.output)")
        #expect(run.errorLines.count == (warning == nil ? 0 : 1), "\(run.errors)")
        #expect(run.errors.hasPrefix(warning ?? ""), "\(run.errors)")
    }

    @Test(arguments: ["store: 'sqlite:gatehouse.db'\n", ""])
    func `two stores are an error, because each has only some revocations`(section: String) async throws {
        let run = try await check(section, files: ["gatehouse.db", "config/gatehouse.db"])
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("there are two stores: 'config/gatehouse.db', and 'gatehouse.db' of the working"))
    }

    @Test func `a call of the admin API does not need the store`() async throws {
        let folder = try Self.folder(CheckTests.valid)
        for file in ["gatehouse.db", "config/gatehouse.db"] { try folder.write("", to: file) }
        let run = try await CommandRun.run("user", "disable", "ada", "--config", "config/gatehouse.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(!run.errors.contains("stores"), "\(run.errors)")
    }

    @Test func `a store that is not mounted is not replaced by one of the working directory`() async throws {
        let folder = try Self.folder(CheckTests.valid + "store: 'sqlite:g.db'\n")
        try folder.write("", to: "g.db")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("config/g.db"), withDestinationPath: "/nonexistent/g.db")
        let run = try await CommandRun.run("check", "config/gatehouse.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("there are two stores: 'config/g.db', and 'g.db' of the working directory"))
    }

    @Test func `a link to the folder makes the advised path absolute`() async throws {
        let folder = try Self.folder(CheckTests.valid + "rules: api.rules\n")
        let other = try ScratchFolder()
        try FileManager.default.moveItem(at: folder.url.appending(path: "config"), to: other.url.appending(path: "c"))
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "config"), withDestinationURL: other.url.appending(path: "c"))
        try folder.write(Self.rules, to: "api.rules")
        let run = try await CommandRun.run("check", "config/gatehouse.yaml", in: folder)
        let advice = run.errors.firstMatch(of: /; write (\S+)/).map { String($0.1) }
        #expect(advice?.hasPrefix("/") == true && advice?.hasSuffix("/api.rules") == true, "\(run.errors)")
    }

    @Test func `a reload uses the same files, and a new file of the configuration's folder at once`() async throws {
        let admin = "admin: { address: 127.0.0.1:0 }\ndrain: { delay: 0s, timeout: 1s }\nreload: { watch: 100ms }\n"
        let gateway = try GatewayProcess(arguments: ["config/gatehouse.yaml"], environment: [:])
        let config = gateway.folder.url.appending(path: "config")
        try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
        try gateway.folder.write(
            CheckTests.valid + admin + "listen: [{ address: 127.0.0.1:0 }]\nrules: api.rules\n",
            to: "config/gatehouse.yaml")
        try gateway.folder.write(Self.rules, to: "api.rules")
        try gateway.folder.write("", to: "gatehouse.db")
        try await gateway.start()
        let old = "rules is 'api.rules' of the working directory"
        try await gateway.untilLogged(old)
        try await gateway.untilLogged("store is 'gatehouse.db' of the working")
        gateway.signal(SIGHUP)
        try await gateway.untilLogged("msg=reloaded")
        #expect(gateway.errors.split(separator: "\n").count { $0.contains(old) } == 2)
        try gateway.folder.write(Self.rules, to: "config/api.rules")
        let new = "rules is 'config/api.rules'; 'api.rules' of the working directory"
        try await gateway.untilLogged(new)
        #expect(!FileManager.default.fileExists(atPath: gateway.folder.path("config/gatehouse.db")))
        await gateway.kill()
    }
}
