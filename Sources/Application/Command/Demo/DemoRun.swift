import DevelopmentIdentity
import Diagnostics
import Foundation

/// The execution of the demo's example requests, as a user would run them.
struct DemoRun {
    private static let curl = "/usr/bin/curl"

    private let provider: DevelopmentProvider
    /// The shell command that defines the variables of the requests.
    private let loading: String
    private let usesCurl: Bool

    init(_ demo: Demo, loading: String) {
        provider = demo.provider
        self.loading = loading
        usesCurl = FileManager.default.isExecutableFile(atPath: Self.curl)
    }

    /// The client that sends the requests.
    var client: String { usesCurl ? "sh and curl" : "the demo's own client, since there is no \(Self.curl)" }

    /// Runs all requests and prints the results. Returns whether all responses were as expected.
    func check(_ calls: [DemoCall]) async throws(Refused) -> Bool {
        var isGood = true
        for (index, call) in calls.enumerated() {
            let response = usesCurl ? Self.paste("\(loading)\n\(call.shellLine)") : await send(call)
            let flaw = call.flaw(in: response)
            isGood = isGood && flaw == nil
            try Console.say("\(flaw == nil ? "ok" : "NO")  \(index + 1). \(call.title): \(flaw ?? call.expectation)")
            for line in Self.relevantLines(of: response) { try Console.say("      \(line)") }
        }
        return isGood
    }

    /// Returns the relevant lines of a response: the status, the challenge, the identity that the service received, the
    /// problem.
    private static func relevantLines(of response: String) -> [String] {
        let lines = response.split(whereSeparator: \.isNewline).map(String.init)
        let fields = lines.dropFirst().filter { $0.lowercased().hasPrefix("www-authenticate:") }
        let body = lines.last.map { line in
            if let auth = line.range(of: "\"auth\":") { return String(line[auth.lowerBound...].dropLast()) }
            return line
        }
        return (lines.first.map { [$0] } ?? ["(no response)"]) + fields + (body.map { [String($0.prefix(220))] } ?? [])
    }

    /// Returns the standard output of lines run by `sh`.
    private static func paste(_ lines: String) -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", lines]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        do { try process.run() } catch { return "" }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Sends a request with the builtin client, and returns the response in curl's format.
    private func send(_ call: DemoCall) async -> String {
        var request = PlainRequest(call.method, call.url)
        switch call.credential {
        case .none: break
        case .bearer(let token): request.fields = [("Authorization", "Bearer \(token.value)")]
        case .cookie(let token): request.fields = [("Cookie", "__session=\(token.value)")]
        case .signIn(let user):
            guard let token = try? provider.sign(provider.idToken(for: .named(user))) else { return "" }
            request.fields = [("Authorization", "Bearer \(token)")]
        }
        guard let response = try? await PlainHTTPClient.send(request) else { return "" }
        let fields = response.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "HTTP/1.1 \(response.status)\r\n\(fields)\r\n" + String(decoding: response.body, as: UTF8.self)
    }
}
