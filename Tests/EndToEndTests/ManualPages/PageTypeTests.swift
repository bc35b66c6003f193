import Foundation
import Testing

@testable import SystemFixtures

/// The types in the code for apps, with stand-ins for the frameworks of Apple's systems.
struct PageTypeTests {
    /// The parts of AuthenticationServices and CryptoKit that the code uses, as these declare them.
    private static let standIns = """
        import Foundation

        final class ASPresentationAnchor {
            init() {}
        }

        @MainActor protocol ASWebAuthenticationPresentationContextProviding: AnyObject {
            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
        }

        @MainActor final class ASWebAuthenticationSession {
            weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?

            init(
                url: URL, callbackURLScheme: String?, completionHandler: @escaping ((URL?, (any Error)?) -> Void)
            ) {}

            @discardableResult func start() -> Bool { true }
        }

        enum SHA256 {
            static func hash(data: some DataProtocol) -> [UInt8] { [UInt8](data) }
        }
        """

    @Test func `the Swift code of a client has valid types`() throws {
        let blocks = try MarkdownPage("docs/guides/client-code.md").blocks.filter { $0.language == "swift" }
        #expect(blocks.count == 2, "the client, and its calls")
        let client = blocks[0].text.replacing("import AuthenticationServices\n", with: "")
            .replacing("import CryptoKit\n", with: "import FoundationNetworking\n")
        let start = "import Foundation\n\n@MainActor func calls(_ gateway: Gateway) async throws {\n"
        let calls = "\(start)\(blocks[1].text)\n}\n"
        let folder = try ScratchFolder()
        for (name, text) in ["client.swift": client, "calls.swift": calls, "stand-ins.swift": Self.standIns] {
            try folder.write(text, to: name)
        }
        let files = ["client.swift", "calls.swift", "stand-ins.swift"]
        #expect(throws: Never.self) {
            try Program.run("env", ["swiftc", "-typecheck", "-swift-version", "6"] + files, in: folder.path)
        }
    }
}
