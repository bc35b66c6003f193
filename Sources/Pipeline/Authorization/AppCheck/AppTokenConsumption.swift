import Authentication
import GatewayCore
import JOSE
import Logging
import OutboundHTTP

/// The limits of calls that consume App Check tokens.
enum ConsumptionBounds {
    /// The maximum number of concurrent calls.
    static let concurrency = 32
    /// The maximum number of requests that wait for a call.
    static let waiting = 1024
}

/// The call `projects:verifyAppCheckToken` of Firebase App Check, which consumes a limited-use token.
///
/// Two requests with the same token have a call each: otherwise both would be the first use.
struct AppTokenConsumption: GoogleMethod {
    static let scope = GoogleScope.firebase
    static let limits = LookupLimits(concurrency: ConsumptionBounds.concurrency, waiting: ConsumptionBounds.waiting)
    static let messages = events(failing: "an App Check token could not be consumed")
    static let tokenMessages = events(failing: "no access token to consume App Check tokens")
    private static let jsonLimits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 8, members: 256)

    let url: String
    let timeout: Duration

    /// Creates the call.
    ///
    /// - Parameter url: The URL, with `{project}` as a placeholder for the project number.
    init(url: String, projectNumber: String, timeout: Duration) {
        self.url = url.split(separator: "{project}", omittingEmptySubsequences: false).joined(separator: projectNumber)
        self.timeout = timeout
    }

    func perform(
        _ appToken: [UInt8], by client: GoogleClient,
        completion: @escaping @Sendable (Result<AppTokenUse, LookupFailure>) -> Void
    ) {
        var body = Array(#"{"app_check_token":"#.utf8)
        JSONWriter.appendString(utf8: appToken, to: &body)
        body.append(UInt8(ascii: "}"))
        client.send(body, to: url, read: { Self.read($0, now: $1) }, completion: completion)
    }

    static func isAccepted(_ use: AppTokenUse) -> Bool { use == .first }

    /// Parses a response. The first use has no `alreadyConsumed`, so that only a JSON object without an error counts.
    ///
    /// The status 400 concerns a token that Firebase cannot consume. The status 403 concerns the token or the rights of
    /// the gateway, which cannot be distinguished, so that it is a failure that does not affect other tokens.
    static func read(_ response: OutboundResponse, now: Int64) -> Result<AppTokenUse, LookupFailure> {
        guard response.status != 400 else { return .success(.refused) }
        guard response.status == 200 else {
            var failure = LookupFailure(response, ownCredentials: [401], now: now)
            if response.status == 403 { failure.concernsAll = false }
            return .failure(failure)
        }
        guard let answer = (try? JSONDocument(response.body, limits: jsonLimits))?.root, answer.kind == .object,
            answer["error"] == nil
        else { return .failure(LookupFailure(.malformed, "not a JSON object, or an error with status 200")) }
        guard let consumed = answer["alreadyConsumed"] else { return .success(.first) }
        guard let wasConsumed = consumed.bool else {
            return .failure(LookupFailure(.malformed, "alreadyConsumed is not a boolean"))
        }
        return .success(wasConsumed ? .repeated : .first)
    }

    private static func events(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "the consumption of App Check tokens has recovered",
            overloaded: "the limit of consumed App Check tokens is exceeded")
    }
}
