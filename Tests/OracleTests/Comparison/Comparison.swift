@testable import Authentication

/// The results of verifying the same tokens with Gatehouse and the Admin SDK.
struct Comparison: Sendable {
    private(set) var tried = 0
    private(set) var distinctTokens = 0
    private(set) var acceptedByBoth = 0
    private(set) var refusedByBoth = 0
    private(set) var stricter: [Difference: Int] = [:]
    /// Tokens that Gatehouse accepts and the SDK refuses.
    private(set) var laxer: [String] = []
    /// Tokens that Gatehouse refuses, the SDK accepts, and no difference explains.
    private(set) var unexplained: [String] = []
    /// Tokens of which both name a user, and not the same.
    private(set) var otherUsers: [String] = []
    /// Tokens that the SDK calls expired, and Gatehouse refuses by a check that the SDK has too, and that passed there.
    private(set) var otherwiseExpired: [String] = []

    /// Computed once, for all tests.
    static let shared = Result { try Comparison() }

    private init() throws {
        guard let interpreter = AdminSDK.interpreter else { throw AdminSDK.Failure(description: "no interpreter") }
        let keys = try OracleKeys(now: TokenDraft.now)
        let corpus = try Corpus(keys: keys)
        let gatehouse = try GatehouseVerifier(certificates: keys.certificates, now: TokenDraft.now)
        let verdicts = try AdminSDK(interpreter: interpreter).verdicts(corpus.cases, certificates: keys.certificates)
        distinctTokens = corpus.distinctTokens
        for (one, theirs) in zip(corpus.cases, verdicts) { record(one, ours: gatehouse.verdict(one), theirs: theirs) }
    }

    private mutating func record(_ one: OracleCase, ours: GatehouseVerdict, theirs: AdminVerdict) {
        tried += 1
        switch (ours, theirs.uid) {
        case (.accepted(let uid), let other?):
            acceptedByBoth += 1
            if !uid.utf8.elementsEqual(other) { otherUsers.append("\(uid): \(one)") }
        case (.accepted, nil): laxer.append("\(theirs.error ?? "") \(theirs.message ?? ""): \(one)")
        case (_, nil):
            refusedByBoth += 1
            recordExpiry(one, ours, theirs)
        case (_, _?):
            if let difference = Difference(ours, of: one) {
                stricter[difference, default: 0] += 1
            } else {
                unexplained.append("\(ours): \(one)")
            }
        }
    }

    /// A client that reads "expired" gets a new token; one that reads "invalid" signs its user out.
    private mutating func recordExpiry(_ one: OracleCase, _ ours: GatehouseVerdict, _ theirs: AdminVerdict) {
        guard theirs.isExpiry else { return }
        if case .refused(let failure) = ours, failure.reason == .expired { return }
        if Difference(ours, of: one) == nil { otherwiseExpired.append("\(ours): \(one)") }
    }
}

extension Comparison: CustomStringConvertible {
    var description: String {
        let counts = [
            "oracle: \(tried) cases of \(distinctTokens) distinct tokens", "accepted by both: \(acceptedByBoth)",
            "refused by both: \(refusedByBoth)", "stricter than the SDK: \(stricter.values.reduce(0, +))",
        ]
        let differences = Difference.allCases.map { "  \($0.rawValue): \(stricter[$0] ?? 0)" }
        return (counts + differences + ["laxer than the SDK: \(laxer.count)", "unexplained: \(unexplained.count)"])
            .joined(separator: "\n")
    }
}
