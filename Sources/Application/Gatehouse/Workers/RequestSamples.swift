import Authentication
import Authorization
import GatewayCore
import HTTPServer
import HTTPWire
import RequestPipeline

/// The recorded inputs of one request's decision. It has no query, no field and no credential.
struct RequestSample: Sendable {
    /// The result of the phases that verify the credential.
    enum Credential: Sendable {
        /// The request presented none.
        case absent
        case verified(Principal)
        /// With the code of the denial.
        case rejected(DecisionCode)
        /// The phases did not run: no route, or one with `auth: none`.
        case unknown
    }

    /// The maximum sizes, in bytes. A request with more is not sampled.
    static let longestPath = 1_024
    static let longestHost = 256

    let method: String
    let host: String
    let path: String
    let credential: Credential
    /// When the request was decided, in seconds since 1970.
    let time: Int64
}

/// A sample of one event loop's requests, in bounded memory: 128 requests with at most 16 KiB of claims each, which
/// are usually in the token cache too.
///
/// The first requests are all recorded. When the sample is full, one request a second replaces another one. A request
/// has personal data, and is removed after 2 hours. Times are monotonic nanoseconds.
struct RequestSamples {
    static let limit = 128
    static let lifetime: UInt64 = 7_200_000_000_000
    private static let interval: UInt64 = 1_000_000_000

    private var entries: [(sample: RequestSample, recordedAt: UInt64)] = []
    private var nextAt: UInt64 = 0
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    var samples: [RequestSample] { entries.map(\.sample) }

    /// Returns whether a request is recorded now.
    func isDue(at now: UInt64) -> Bool { entries.count < Self.limit || now >= nextAt }

    mutating func record(_ sample: RequestSample, at now: UInt64) {
        guard entries.count == Self.limit else { return entries.append((sample, now)) }
        nextAt = now &+ Self.interval
        // Any sequence serves that does not favour a place.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        entries[Int(truncatingIfNeeded: state >> 33) % Self.limit] = (sample, now)
    }

    /// Removes the requests that are older than ``lifetime``.
    mutating func removeExpired(at now: UInt64) {
        entries.removeAll { now > $0.recordedAt && now - $0.recordedAt > Self.lifetime }
    }
}

extension RequestSample {
    /// Creates the sample of a request from its head. `nil` if it is too large, or its decision does not depend on the
    /// configuration's policies.
    init?(
        _ head: UnsafeRawBufferPointer, limits: ConnectionLimits, of run: PipelineRun, _ denial: Denied?, at time: Int64
    ) {
        guard run.endpoint == nil, let credential = Credential(run, denial),
            let request = try? ParsedRequest(Array(head), limits: limits)
        else { return nil }
        let (path, host) = (request.head.path, request.head.host)
        guard Int(path.length) <= Self.longestPath, Int(host.length) <= Self.longestHost else { return nil }
        self.init(
            method: request.text(request.head.methodRange), host: request.text(host), path: request.text(path),
            credential: credential, time: time)
    }

    /// The phase and the code of a denial.
    struct Denied {
        let phase: DecisionPhase
        let code: DecisionCode
    }
}

extension RequestSample.Credential {
    /// Creates the result of a run. `nil` if the run was denied for another reason before.
    fileprivate init?(_ run: PipelineRun, _ denial: RequestSample.Denied?) {
        switch denial?.phase {
        case .route?: self = .unknown
        case .authenticate? where denial?.code != .missingCredential:
            self = .rejected(denial?.code ?? .internalError)
        case nil, .authenticate?, .userLimits?, .appCheck?, .revocation?, .account?, .provider?, .scopes?, .recency?,
            .secondFactor?, .rules?:
            guard run.plan?.policy.authentication != RoutePolicy.Authentication.none else {
                self = .unknown
                return
            }
            self = run.identity.map { .verified($0.principal) } ?? .absent
        case .origin?, .builtin?, .limits?, .credential?, .upgrade?, .crossSite?: return nil
        }
    }
}
