import Accounts
import Foundation
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct SignInPageReaderTests {
    /// Reads a page with files. Returns the paths of its assets, and the errors.
    private func read(
        _ files: [String: [UInt8]], missing: [String] = []
    ) throws -> (assets: [String]?, errors: [String]) {
        let folder = try ScratchFolder()
        for (name, content) in files {
            try Data(content).write(to: folder.url.appending(path: name))
        }
        func file(_ name: String) -> Configuration.Accounts.Page.File? {
            guard files[name] != nil || missing.contains(name) else { return nil }
            return .init(
                path: folder.path(name), location: SourceLocation(file: "gatehouse.yaml", line: 3, column: 5))
        }
        var page = Configuration.Accounts.Page()
        (page.style, page.logo, page.translations) = (file("page.css"), file("logo"), file("texts.yaml"))
        var reader = SignInPageReader()
        let assets = reader.read(page, origin: "https://app.example", providers: ["google.com"])?.assets.map(\.path)
        return (assets, reader.errors.map { "\($0)".replacing(folder.url.path, with: "DIR") })
    }

    private static let pixels: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    @Test func `a page needs no files, and reads those it has`() throws {
        let own = ["/.gatehouse/assets/page.css", "/.gatehouse/assets/page.js"]
        #expect(try read([:]).assets == own)
        let files = [
            "page.css": Array("h1 { color: red }".utf8), "logo": Self.pixels,
            "texts.yaml": Array("fr: { sign_in: Connexion }".utf8),
        ]
        let (assets, errors) = try read(files)
        #expect(assets == own + ["/.gatehouse/assets/logo"] && errors.isEmpty)
    }

    @Test func `the sizes of files have bounds`() throws {
        let space = UInt8(ascii: " ")
        let largest = [
            "page.css": [UInt8](repeating: space, count: 65_536),
            "logo": Self.pixels + [UInt8](repeating: 0, count: 262_136),
        ]
        #expect(try read(largest).errors.isEmpty)
        let errors = try read([
            "page.css": [UInt8](repeating: space, count: 65_537),
            "logo": Self.pixels + [UInt8](repeating: 0, count: 262_137),
            "texts.yaml": [UInt8](repeating: space, count: 262_145),
        ]).errors
        #expect(errors.count == 3 && errors.allSatisfy { $0.contains(/is larger than (64|256) KiB; make it smaller/) })
    }

    @Test(
        arguments: [
            ("page.css", [0xFF], "gatehouse.yaml:3:5: the file 'DIR/page.css' of accounts.page is not valid UTF-8"),
            ("logo", [0xFF, 0xD8], "gatehouse.yaml:3:5: the file 'DIR/logo' of accounts.page is neither SVG nor PNG"),
            ("texts.yaml", Array("fr: { x: a }".utf8), "DIR/texts.yaml:1:7: the sign-in page has no text 'x'"),
        ] as [(String, [UInt8], String)])
    func `an invalid file is an error`(name: String, content: [UInt8], expected: String) throws {
        let (assets, errors) = try read([name: content])
        #expect(assets == nil && errors.count == 1 && errors.first?.hasPrefix(expected) == true, "\(errors)")
    }

    @Test(arguments: ["page.css", "logo", "texts.yaml"])
    func `a missing file is an error`(name: String) throws {
        let errors = try read([:], missing: [name]).errors
        #expect(errors.count == 1 && errors[0].contains("cannot be read (No such file or directory)"), "\(errors)")
    }
}
