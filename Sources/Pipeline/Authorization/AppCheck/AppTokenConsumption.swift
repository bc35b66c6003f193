import Authentication
import GatewayCore
import JOSE
import OutboundHTTP

/// The call `projects:verifyAppCheckToken` of Firebase App Check, which consumes a limited-use token.
struct AppTokenConsumption: Sendable {
    private static let limits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 8, members: 256)

    private let url: String
    /// The project whose quota the calls use. `nil` for the project of the credential.
    private let quotaProject: String?

    /// Creates the call.
    ///
    /// - Parameters:
    ///   - url: The URL, with `{project}` as a placeholder for the project number.
    ///   - quotaProject: The project whose quota the calls use, if it is not the credential's.
    init(url: String, projectNumber: String, quotaProject: String?) {
        self.url = url.split(separator: "{project}", omittingEmptySubsequences: false).joined(separator: projectNumber)
        self.quotaProject = quotaProject
    }

    func request(_ appToken: [UInt8], token: Secret) -> OutboundRequest {
        var body = Array(#"{"app_check_token":"#.utf8)
        JSONWriter.appendString(utf8: appToken, to: &body)
        body.append(UInt8(ascii: "}"))
        let authorization = token.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
        return OutboundRequest(
            method: .post, url: url,
            fields: [
                ("authorization", authorization), ("content-type", "application/json"), ("accept", "application/json"),
            ] + (quotaProject.map { [("x-goog-user-project", $0)] } ?? []),
            body: body)
    }

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
        guard let answer = (try? JSONDocument(response.body, limits: limits))?.root, answer.kind == .object,
            answer["error"] == nil
        else { return .failure(LookupFailure(.malformed, "not a JSON object, or an error with status 200")) }
        guard let consumed = answer["alreadyConsumed"] else { return .success(.first) }
        guard let wasConsumed = consumed.bool else {
            return .failure(LookupFailure(.malformed, "alreadyConsumed is not a boolean"))
        }
        return .success(wasConsumed ? .repeated : .first)
    }
}
