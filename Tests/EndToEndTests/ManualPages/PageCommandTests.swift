import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The commands on the pages of the manual, and the responses that the pages state.
struct PageCommandTests {
    /// Programs that the examples do not run: they change the machine, are slow, or are not installed. The files of the
    /// repository in their arguments must exist.
    private static let notRun: Set = [
        "chromium", "cp", "docker", "export", "firebase", "git", "mkdir", "pidof", "python3", "redis-cli", "sha256sum",
        "sudo", "swift",
    ]

    @Test(arguments: try MarkdownPage.paths())
    func `the commands of a page run and return what the page states`(path: String) async throws {
        let page = try MarkdownPage(path)
        let steps = PageSteps(page)
        guard !steps.commands.isEmpty else { return }
        try await OwnThread.run {
            try await PageStage.run(steps) { stage in
                let run = try await stage.shell(steps)
                #expect(run.failures.isEmpty, "\(run.failures)")
                for command in run.notRun {
                    let words = command.split(separator: " ")
                    #expect(Self.notRun.contains(String(words[0])), "\(path): an unknown program: \(command)")
                    for word in words.dropFirst() where word.contains(/^(Benchmarks|config|script|Tests)\/[\w.\/-]+$/) {
                        let file = Repository.root.appending(path: String(word)).path
                        #expect(FileManager.default.fileExists(atPath: file), "\(path): \(command)")
                    }
                }
                for (command, output) in zip(steps.commands, run.outputs) {
                    let flaw = command.flaw(in: output)
                    #expect(flaw == nil, "\(command.place): \(command.text): expected \(flaw ?? ""); came \(output)")
                }
            }
        }
    }

    @Test func `a stated response with an omission matches only its own`() {
        let stated = "HTTP/1.1 401 Unauthorized\n{\"status\":401,...,\"code\":\"a/b\",\"at\":1700000000}\n"
        let command = PageSteps.Command(place: "", text: "curl", stated: stated, stage: 0)
        let body = "{\"status\":401,\"title\":\"T\",\"code\":\"a/b\",\"at\":1800000001}"
        #expect(command.flaw(in: "HTTP/1.1 401 Unauthorized\r\nX: y\r\n\r\n\(body)") == nil)
        #expect(command.flaw(in: "HTTP/1.1 401 Unauthorized\r\n\r\n\(body.replacing("a/b", with: "a/c"))") != nil)
        #expect(command.flaw(in: body) != nil)
    }
}
