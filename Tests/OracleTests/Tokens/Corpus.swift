import JOSE

@testable import Authentication
@testable import SystemFixtures

/// The tokens of a run: single mutations, combinations, and noise. Only the keys differ between runs.
struct Corpus {
    private(set) var cases: [OracleCase] = []
    private let keys: OracleKeys
    private var random = SeededRandom(seed: 0x6761_7465_686F_7573)
    private var seen: Set<[UInt8]> = []

    /// The numbers of tokens with several mutations, and with noise.
    private static let together = Thoroughness.rounds(750, full: 3000)
    private static let noisy = Thoroughness.rounds(600, full: 2400)

    init(keys: OracleKeys) throws {
        self.keys = keys
        try addSingles()
        try addTogether()
        try addNoise()
    }

    /// The number of different tokens. A token may be tried in several settings.
    var distinctTokens: Int { seen.count }

    private mutating func add(_ mutations: [Mutation], _ setting: OracleSetting) throws {
        let new = try OracleCase(mutations, setting, keys: keys)
        seen.insert(new.token)
        cases.append(new)
    }

    /// Times are tried with each skew, and `firebase` with and without a tenant.
    private mutating func addSingles() throws {
        for kind in OracleSetting.kinds {
            let plain = OracleSetting(kind: kind, skew: 5, tenant: nil)
            try add([], plain)
            for mutation in Mutation.all { try add([mutation], plain) }
            for skew in [0, 60] as [Int64] {
                for mutation in Mutation.times {
                    try add([mutation], OracleSetting(kind: kind, skew: skew, tenant: nil))
                }
            }
            for mutation in Mutation.firebase {
                try add([mutation], OracleSetting(kind: kind, skew: 5, tenant: "corp"))
            }
        }
    }

    /// Most single mutations make a token that is rejected. The others are drawn more often, so that combinations are
    /// not all refused for the same reason.
    private mutating func addTogether() throws {
        let mild = try mildMutations()
        for _ in 0..<Self.together {
            var mutations = [Mutation.all[random.index(of: Mutation.all)]]
            for _ in 0...random.index(of: 0..<2) { mutations.append(mild[random.index(of: mild)]) }
            try add(mutations.shuffled(using: &random), anySetting())
        }
    }

    private mutating func addNoise() throws {
        for _ in 0..<Self.noisy { try add([.noise(&random)], anySetting()) }
    }

    /// The mutations whose token Gatehouse accepts.
    private func mildMutations() throws -> [Mutation] {
        let gatehouse = try GatehouseVerifier(certificates: keys.certificates, now: TokenDraft.now)
        let plain = OracleSetting(kind: .idToken, skew: 5, tenant: nil)
        return try Mutation.all.filter { mutation in
            if case .accepted = gatehouse.verdict(try OracleCase([mutation], plain, keys: keys)) { true } else { false }
        }
    }

    private mutating func anySetting() -> OracleSetting {
        OracleSetting(
            kind: OracleSetting.kinds[random.index(of: 0..<2)], skew: OracleSetting.skews[random.index(of: 0..<3)],
            tenant: random.index(of: 0..<4) == 0 ? "corp" : nil)
    }
}

/// The settings that both verifiers have.
struct OracleSetting: Hashable, Sendable {
    var kind: CredentialKind
    /// Seconds. The SDK's also prolongs `exp`.
    var skew: Int64
    /// `nil` for a verifier without a tenant.
    var tenant: String?

    static let kinds: [CredentialKind] = [.idToken, .sessionCookie]
    static let skews: [Int64] = [0, 5, 60]
    static let tenants: [String?] = [nil, "corp"]
}

/// A token, and how it is to be verified.
struct OracleCase: Sendable {
    let name: String
    let setting: OracleSetting
    let token: [UInt8]

    init(_ mutations: [Mutation], _ setting: OracleSetting, keys: OracleKeys) throws {
        var draft = TokenDraft(setting.kind)
        for mutation in mutations { mutation.apply(&draft) }
        name = mutations.map { String($0.name.prefix(80)) }.joined(separator: "; ")
        self.setting = setting
        token = try draft.made(with: keys)
    }
}

extension OracleCase: CustomStringConvertible {
    var description: String {
        let how = "\(setting.kind), skew \(setting.skew), tenant \(setting.tenant ?? "none")"
        return "\(name) [\(how)] \(String(decoding: token, as: UTF8.self).prefix(1200))"
    }
}
