import ArgumentParser
import Diagnostics

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain step by step whether a request would be permitted.",
        discussion: """
            Example: gatehouse explain DELETE http://127.0.0.1:8080/v1/account --token "$TOKEN"

            Nothing is sent to the gateway's listeners. Key sets are fetched from their sources, opaque tokens are put to their \
            provider and accounts to Firebase where the gateway would; revocations are read from the store's file or, while a \
            gateway has it open, asked of the admin API. The exit code is 0 when the request would pass or the gateway \
            answers it itself, else 1.

            With --http2, names of fields are sent literally, and --header ':NAME: VALUE' replaces a pseudo-header. A \
            content-length above 0, a gRPC call and :protocol announce a body; the stream of any other request ends with \
            its head.
            """)

    @Argument(help: "The method, such as GET.")
    var method: String

    @Argument(help: "http://HOST/PATH?QUERY, or a path. It is taken literally.")
    var url: String

    @OptionGroup var source: ConfigurationOptions

    @Option(help: ArgumentHelp("An ID token or an opaque token; - reads it from standard input.", valueName: "t"))
    var token: String?

    @Option(help: ArgumentHelp("A session cookie's value; - reads it from standard input.", valueName: "c"))
    var sessionCookie: String?

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header field, 'Name: value'. May be repeated.", valueName: "field"))
    var headers: [String] = []

    @Option(help: ArgumentHelp("The host in place of the URL's: Host, with --http2 :authority.", valueName: "host"))
    var host: String?

    @Flag(name: .customLong("http2"), help: "Explain the request as one of HTTP/2.")
    var usesHTTP2 = false

    @Flag(
        name: .customLong("no-fetch"),
        help:
            "Fetch no keys and query neither providers nor Firebase, so that signatures, opaque tokens and accounts are not checked."
    )
    var fetchesNothing = false

    func validate() throws {
        if token == "-", sessionCookie == "-" {
            throw ValidationError("only one of --token and --session-cookie can be -")
        }
        for header in headers where !header.dropFirst().contains(":") {
            throw ValidationError("--header \(header): write 'Name: value'")
        }
    }

    func run() async throws {
        let configuration = try source.load()
        var request = ExplainedRequest(
            method: method, url: url, token: try token.map(Console.secret),
            sessionCookie: try sessionCookie.map(Console.secret), fields: headers.map(Self.field))
        request.host = host
        request.usesHTTP2 = usesHTTP2
        let explanation: Explanation
        do {
            explanation = try await Explainer(configuration, usesRemoteLookups: !fetchesNothing).explain(request)
        } catch {
            throw Refused(error)
        }
        try Console.say(StepLines.text(of: explanation.steps))
        try Console.say()
        try Console.say(VerdictText.text(of: explanation.verdict))
        switch explanation.verdict {
        case .passes, .responded: return
        case .refused, .ended, .undetermined: throw ExitCode.failure
        }
    }

    private static func field(_ text: String) -> (name: String, value: String) {
        // The name of a pseudo-header begins with a colon.
        let colon = text.dropFirst().firstIndex(of: ":") ?? text.endIndex
        return (String(text[..<colon]), String(text[colon...].dropFirst().drop { $0 == " " }))
    }
}
