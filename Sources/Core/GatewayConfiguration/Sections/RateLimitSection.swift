extension Configuration.RateLimit {
    /// A list of limits.
    static func list(_ value: ConfigurationValue) -> [Self]? {
        guard let elements = value.sequence() else { return nil }
        guard elements.count <= maximumCount else {
            return value.fail("\(value.name) has more than \(maximumCount) limits", "remove some")
        }
        let limits = elements.compactMap { element in element.mapping(.rateLimit).flatMap(Self.read) }
        guard Set(limits).count == limits.count else {
            return value.fail("\(value.name) has a limit twice", "keep one of them")
        }
        return limits.count == elements.count ? limits : nil
    }

    private static func read(_ mapping: MappingReader) -> Self? {
        let per: Per? = mapping.required("per", "write per: uid, address or route").flatMap { $0.choice() }
        let requests = mapping.required("requests", "say how many, as in requests: 100").flatMap {
            $0.integer(in: counts)
        }
        let every = mapping.required("every", "say in what time, as in every: 1m").flatMap { $0.duration(in: times) }
        guard let per, let requests, let every else { return nil }
        var limit = Self(per: per, requests: requests, every: every)
        mapping.set(&limit.burst, "burst") { $0.integer(in: counts) }
        return limit
    }
}
