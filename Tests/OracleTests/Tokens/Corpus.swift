@testable import Authentication
@testable import SystemFixtures

/// The tokens of a run: each mutation alone, many together, and noise. The same in every run but for the keys.
struct Corpus {
    private(set) var cases: [OracleCase] = []
    private let keys: OracleKeys
    private var random = SeededRandom(seed: 0x6761_7465_686F_7573)
    private var seen: Set<[UInt8]> = []

    /// How many tokens of several mutations, and of noise, a run has.
    private static let together = 3000
    private static let noisy = 2400

    init(keys: OracleKeys) throws {
        self.keys = keys
        try addSingles()
        try addTogether()
        try addNoise()
    }

    /// How many different tokens there are; a token may be tried in several settings.
    var distinctTokens: Int { seen.count }

    private mutating func add(_ mutations: [Mutation], _ setting: OracleSetting) throws {
        let new = try OracleCase(mutations, setting, keys: keys)
        seen.insert(new.token)
        cases.append(new)
    }

    /// Times are tried with each skew, what concerns tenants with and without one.
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

    /// Most mutations alone make a token that is refused. Those that do not are drawn more often, so that something is
    /// left for the others to change.
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

    /// Those that make a token which Gatehouse takes.
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
