import DevelopmentIdentity
import Foundation

@testable import SystemFixtures

/// The files of a page of the manual, in the folder of a reader who follows the page.
///
/// Absolute paths such as `/etc/gatehouse` are relative to the folder. A file that a configuration names has the
/// content that its name suggests: rules of the page, a certificate, a key or a secret.
struct PageExamples {
    static let secret = "manual-secret-0123456789abcdef"

    let page: MarkdownPage
    let folder: ScratchFolder
    private let provider: DevelopmentProvider
    private let authority: TestAuthority

    init(_ page: MarkdownPage, _ provider: DevelopmentProvider, in folder: ScratchFolder) throws {
        (self.page, self.provider, self.folder) = (page, provider, folder)
        authority = try TestAuthority()
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("config"), withIntermediateDirectories: true)
        let examples = Repository.configurations.path
        for name in try files.contentsOfDirectory(atPath: examples) where name != "gatehouse.yaml" {
            try files.createSymbolicLink(
                atPath: folder.path("config/\(name)"), withDestinationPath: "\(examples)/\(name)")
        }
        try files.createSymbolicLink(atPath: folder.path("rules"), withDestinationPath: folder.path("config/rules"))
        for block in page.blocks where block.isRules || block.isRulesTest {
            let name = Self.fileName(of: block, or: block.isRules ? "api.rules" : "api.test.yaml")
            try folder.write(block.text, to: name)
        }
    }

    /// The name of the last file of this kind in the text before a block.
    static func fileName(of block: MarkdownPage.Block, or name: String) -> String {
        let ending = name.drop { $0 != "." }
        let names = block.lead.matches(of: /`([a-z-]+[.][a-z.]+)`/).map { String($0.1) }
        return names.last { $0.hasSuffix(ending) } ?? name
    }

    /// Returns the text with absolute paths moved into the folder.
    static func moved(_ text: String, into folder: ScratchFolder) -> String {
        text.replacingOccurrences(
            of: "(?<![\\w./])/(?=(?:etc|run|var|tmp)/)", with: "\(folder.path)/", options: .regularExpression)
    }

    /// Returns the text with absolute paths moved into the folder, and creates their directories.
    private func moved(_ text: String) throws -> String {
        let moved = Self.moved(text, into: folder)
        for path in moved.matches(of: /\/[\w.\/-]+/).map(\.output) where path.hasPrefix(folder.path + "/") {
            let directory = URL(filePath: String(path)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        return moved
    }

    /// Returns the complete configuration of a block, and creates the files that it names.
    func configuration(_ yaml: String) throws -> String {
        let text = try moved(PageConfiguration.completed(yaml))
        let secrets = text.matches(of: /\$\{file:([^}]+)\}/).map { String($0.1) }
        let named = text.matches(of: /[\w.\/-]+[.](?:pem|key|json|rules)\b/).map { String($0.output) }
        for credential in text.matches(of: /\$\{credential:([\w-]+)\}/) {
            try FileManager.default.createDirectory(
                atPath: folder.path("credentials"), withIntermediateDirectories: true)
            try folder.write(Self.secret, to: "credentials/\(credential.1)")
        }
        for name in secrets + named {
            let path = name.hasPrefix("/") ? name : folder.path(name)
            if !FileManager.default.fileExists(atPath: path) { try write(URL(filePath: path)) }
        }
        return text
    }

    /// The variables of a block's configuration.
    func environment(_ yaml: String) -> [String: String] {
        PageConfiguration.environment(yaml).merging(["CREDENTIALS_DIRECTORY": folder.path("credentials")]) { $1 }
    }

    private func write(_ file: URL) throws {
        let name = file.lastPathComponent
        if name.hasSuffix(".json") {
            try provider.makeServiceAccount().write(toDirectory: file.deletingLastPathComponent().path, name: name)
            return
        }
        let content =
            if name.hasSuffix(".rules") {
                page.blocks.first { $0.isRules && $0.text.contains("service ") }?.text ?? Self.rules
            } else if !name.hasSuffix(".pem"), !name.hasSuffix(".key") {
                Self.secret
            } else {
                try String(contentsOfFile: pem(for: name), encoding: .utf8)
            }
        try Data(content.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private func pem(for name: String) -> String {
        if name.contains("old") { return authority.clientKey }
        if name.contains("key") || ["session.pem", "assertion.pem"].contains(name) { return authority.key }
        return name.contains("ca.pem") ? authority.authority : authority.certificate
    }

    private static let rules = """
        rules_version = '2';
        service gatehouse.http { match /{rest=**} { allow read, write: if auth != null; } }

        """
}

extension MarkdownPage {
    /// Whether the page's examples use the setup of the recipes: the demo, and a gateway in front of its services.
    var isRecipe: Bool { text.contains("README.md#run-a-recipe)") }
}

extension MarkdownPage.Block {
    var isYAML: Bool { language == "yaml" }
    var isConfiguration: Bool { isYAML && !isRulesTest }
    var isRulesTest: Bool { isYAML && PageConfiguration.keys(text).contains("tests") }
}

/// The conversion of a part of a configuration to a complete one.
enum PageConfiguration {
    static func keys(_ yaml: String) -> [Substring] {
        yaml.matches(of: #/(?m)^([a-z_]+):/#).map(\.1)
    }

    /// Whether a gateway can serve it without changes.
    static func isComplete(_ yaml: String) -> Bool {
        Set(["identity", "upstreams", "routes"]).isSubset(of: keys(yaml))
    }

    /// Returns the part with the required top-level keys that it lacks. The upstreams are the ones that its routes
    /// name. The route is public if the part has an `identity` without an issuer.
    static func completed(_ yaml: String) -> String {
        let names = Set(yaml.matches(of: /upstream: ([a-z]+)/).map(\.1)).union(["api"])
        let upstreams = names.sorted().map { "\($0): { servers: ['http://127.0.0.1:3000'] }" }
        let keys = keys(yaml)
        let isPublic = keys.contains("identity") && !yaml.contains(/\b(firebase|providers):/)
        let required = [
            ("identity", "{ firebase: { project: my-app } }"),
            ("upstreams", "{ \(upstreams.joined(separator: ", ")) }"),
            ("routes", "[{ path: '/{path=**}', upstream: api\(isPublic ? ", auth: none" : "") }]"),
        ]
        return required.filter { !keys.contains(Substring($0.0)) }.map { "\($0.0): \($0.1)\n" }.joined() + yaml
    }

    /// Values of the variables without a default.
    static func environment(_ yaml: String) -> [String: String] {
        let names = yaml.matches(of: /\$\{([A-Z_]+)\}/).map { String($0.1) }
        return Dictionary(names.map { ($0, PageExamples.secret) }, uniquingKeysWith: { $1 })
    }
}
