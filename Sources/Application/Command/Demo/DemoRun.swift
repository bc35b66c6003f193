import DevelopmentIdentity
import Diagnostics
import Foundation

/// Runs the demo's lines against the running demo, as who pastes them would.
struct DemoRun {
    private static let curl = "/usr/bin/curl"

    private let provider: DevelopmentProvider
    private let usesCurl: Bool

    init(_ demo: Demo) {
        provider = demo.provider
        usesCurl = FileManager.default.isExecutableFile(atPath: Self.curl)
    }

    /// Which client sends the requests.
    var client: String { usesCurl ? "sh and curl" : "the demo's own client, since there is no \(Self.curl)" }

    /// Runs every line and tells what came.
    ///
    /// - Returns: whether each said what was promised.
    func check(_ calls: [DemoCall]) async throws(Refused) -> Bool {
        var isGood = true
        for (index, call) in calls.enumerated() {
            let answer = usesCurl ? Self.paste(call.shellLine) : await send(call)
            let flaw = call.flaw(in: answer)
            isGood = isGood && flaw == nil
            try Console.say("\(flaw == nil ? "ok" : "NO")  \(index + 1). \(call.title): \(flaw ?? call.expectation)")
            for line in Self.telling(answer) { try Console.say("      \(line)") }
        }
        return isGood
    }

    /// What an answer says in a few lines: the status, the challenge, the identity that the service saw, the problem.
    private static func telling(_ answer: String) -> [String] {
        let lines = answer.split(whereSeparator: \.isNewline).map(String.init)
        let fields = lines.dropFirst().filter { $0.lowercased().hasPrefix("www-authenticate:") }
        let body = lines.last.map { line in
            if let auth = line.range(of: "\"auth\":") { return String(line[auth.lowerBound...].dropLast()) }
            return line
        }
        return (lines.first.map { [$0] } ?? ["(no answer)"]) + fields + (body.map { [String($0.prefix(220))] } ?? [])
    }

    /// The standard output of a line given to `sh`.
    private static func paste(_ line: String) -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        do { try process.run() } catch { return "" }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// The same by our own client; the answer in curl's form.
    private func send(_ call: DemoCall) async -> String {
        var request = PlainRequest(call.method, call.url)
        switch call.credential {
        case .none: break
        case .field(let name, let value): request.fields = [(name, value)]
        case .signIn(let user, _):
            guard let token = try? provider.sign(provider.idToken(for: .named(user))) else { return "" }
            request.fields = [("Authorization", "Bearer \(token)")]
        }
        guard let response = try? await PlainHTTPClient.send(request) else { return "" }
        let fields = response.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "HTTP/1.1 \(response.status)\r\n\(fields)\r\n" + String(decoding: response.body, as: UTF8.self)
    }
}
