@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures
import Testing

@testable import Diagnostics
@testable import GatewayCore

/// Each request is explained, then sent to a worker with the same configuration, keys and records.
@Suite struct GatewayComparisonTests {
    /// The number of differences that are reported in full.
    private static let reportLimit = 20

    @Test func `explain and the gateway make the same decision for every request`() async throws {
        let folder = try TemporaryFolder()
        let spaces = try [
            ComparedSpace.policies(), .unreadableStores(), .unknownKeys(), .accounts(unlinked: "derive", in: folder),
            .accounts(unlinked: "deny", in: folder), .firebaseAccounts(), .routing(), .rules(in: folder),
            .appCheck(keysAreKnown: true), .appCheck(keysAreKnown: false),
        ]
        var (requests, differences) = (0, 0)
        for space in spaces {
            let gateway = try ComparedGateway(
                space.configuration, keysAreKnown: space.keysAreKnown, adjust: space.adjust)
            for request in space.requests.sample(oneOf: 4) {
                let (explained, sent, steps) = try await gateway.run(request)
                requests += 1
                guard !Self.agree(explained, sent, request) else { continue }
                differences += 1
                guard differences <= Self.reportLimit else { continue }
                Issue.record(
                    """
                    \(space.name): \(request.method) \(request.target), Host: \(request.host), \
                    credential: \(request.credential.name), records: \(request.records.name), fields: \(request.fields)
                    explain: \(explained)
                    gateway: \(sent)
                    steps: \(steps.map { "\($0.mark) \($0.name): \($0.detail)" })
                    """)
            }
        }
        print("explain and gateway: \(requests) requests, \(differences) differences")
        #expect(differences == 0 && requests > Thoroughness.rounds(1250, full: 5000))
    }

    private static func agree(
        _ explained: ComparedOutcome, _ sent: ComparedOutcome, _ request: ComparedRequest
    ) -> Bool {
        let explained = request.method == "HEAD" ? explained.withoutBody : explained
        return switch (explained, sent) {
        case (.undetermined(let why), _): isReason(why, for: sent, request)
        // The denial is in the form of gRPC, and after all phases.
        case (.denied("request/grpc-unsupported", _, _, _), .denied("request/grpc-unsupported", 200, nil, _)): true
        case (.denied(let code, _, let phase?, _), .denied(let other, 200, let same, _)): code == other && phase == same
        // The revocation that `explain` cannot read would be reported earlier.
        case (.denied(_, _, let phase?, _), .denied) where request.records.source != .fresh && phase > .revocation: true
        default: explained == sent
        }
    }

    /// Returns whether the gateway may end such a request if `explain` cannot determine its end.
    private static func isReason(_ why: String, for sent: ComparedOutcome, _ request: ComparedRequest) -> Bool {
        switch (why.split(separator: " ").prefix(2).joined(separator: " "), sent) {
        case (_, .undetermined): false
        case ("the result", .answered): why.hasPrefix("the result also depends on the body and on the store")
        case ("the keys", .denied(let code, _, _, _)):
            code == "auth/keys-unavailable" || code == "app-check/keys-unavailable"
        case ("the provider", .denied(let code, _, _, _)): code == "auth/introspection-unavailable"
        case ("the user", .denied(_, let status, _, _)): status == 503
        case ("it is", _): why.hasPrefix("it is decided as the account's own")
        case ("it passes", _): request.records.source != .fresh
        default: false
        }
    }
}
