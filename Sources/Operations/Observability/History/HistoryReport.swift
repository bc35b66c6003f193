import GatewayCore

/// The samples of a range of time. Every list has one value for each time, oldest first.
package struct HistoryReport: Sendable, Equatable {
    /// A list of values, or named parts.
    package indirect enum Part: Sendable, Equatable {
        /// `nil` for a value that is unknown at its time.
        case values([UInt64?])
        case group([Member])

        fileprivate var isEmpty: Bool {
            switch self {
            case .values(let values): values.allSatisfy { ($0 ?? 0) == 0 }
            case .group(let members): members.allSatisfy(\.part.isEmpty)
            }
        }
    }

    /// A named part.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let part: Part

        fileprivate init(_ name: String, _ part: Part) {
            self.name = name
            self.part = part
        }
    }

    /// The times of the samples, in seconds since 1970.
    package let times: [Int64]
    /// The series, in the order of the document.
    package let series: [Member]

    init(_ state: GatewayHistory.State, since time: Int64) {
        typealias Columns = GatewayHistory.Columns
        let times = state.ring.times(after: time)
        func values(_ column: Int) -> Part { .values(state.ring.values(column, latest: times.count)) }
        func group(_ names: [String], at column: Int) -> Part {
            .group(names.enumerated().map { Member($1, values(column + $0)) })
        }
        func groups(_ names: [String], of members: [String], at column: Int) -> [Member] {
            names.enumerated().map { Member($1, group(members, at: column + $0 * members.count)) }
        }
        let codes = DecisionCode.allCases.map { Member("\($0.wire)", values(Columns.codes + Int($0.rawValue))) }
        var routes = state.routes.names.enumerated().map { Member($1, values(Columns.routes + $0)) }
        routes.append(Member(HistoryTotals.noRoute, values(Columns.noRoute)))
        routes.append(Member("other", values(Columns.otherRoutes)))
        let gauges = Columns.gaugeNames.enumerated().map { place, name in
            let column = values(Columns.gauges + place)
            guard place == Columns.memory, case .values(let kibibytes) = column else { return Member(name, column) }
            return Member(name, .values(kibibytes.map { $0.map { $0 * 1024 } }))
        }
        let keySets = groups(state.keySets.names, of: Columns.keySetNames, at: Columns.keySets)
        let servers = groups(state.servers.names, of: Columns.serverNames, at: Columns.servers)
        self.times = times
        series =
            [
                Member("codes", .group(codes.filter { !$0.part.isEmpty })),
                Member("routes", .group(routes.filter { !$0.part.isEmpty })),
                Member(
                    "latency",
                    .group(
                        groups(
                            HistoryTotals.latencyNames, of: Columns.quantiles.map(\.name), at: Columns.latencies))),
                Member("token_cache", group(Columns.cacheNames, at: Columns.cache)),
                Member("key_sets", .group(keySets.filter { !$0.part.isEmpty })),
                Member("store", group(Columns.storeNames, at: Columns.store)),
                Member("upstreams", .group(servers.filter { !$0.part.isEmpty })),
            ] + gauges
    }
}
