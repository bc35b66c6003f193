import GatewayCore
import Testing

@testable import HTTPServer

@Suite struct CertificateNamesTests {
    private let names = CertificateNames([
        ["first.example"], ["API.example", "*.wild.example"],
        ["api.example", "deep.wild.example", "*.deep.wild.example"],
    ])

    @Test(
        arguments: [
            ("first.example", 0), ("api.example", 1), ("API.Example", 1), ("api.example.", 1), ("a.wild.example", 1),
            ("A.WILD.EXAMPLE", 1), ("deep.wild.example", 2), ("x.deep.wild.example", 2), ("", nil), (".", nil),
            ("example", nil), ("other.example", nil), ("wild.example", nil), (".wild.example", nil),
            ("a.b.wild.example", nil), ("*.other.example", nil), ("127.0.0.1", nil), ("evilapi.example", nil),
            ("api.example.evil", nil),
        ] as [(String, Int?)])
    func `a name chooses the first matching certificate, if any`(name: String, certificate: Int?) {
        #expect(names[name] == certificate)
    }
}

@Suite struct CertificateWatchTests {
    private func fingerprints(_ paths: String...) -> [FileFingerprint?] { paths.map(FileFingerprint.init(of:)) }

    /// The results of a new watch for consecutive checks.
    private func checks(
        _ looks: [[FileFingerprint?]], served: [FileFingerprint?], refusing bad: [FileFingerprint?]? = nil
    ) -> [Bool] {
        var watch = CertificateWatch()
        return looks.map { fingerprints in
            let reads = watch.shouldRead(fingerprints, served: served)
            if reads, fingerprints == bad { watch.refuse(fingerprints) }
            return reads
        }
    }

    @Test func `a change is read after it is stable`() {
        let (old, new) = (fingerprints("/dev/null"), fingerprints("/dev/zero"))
        #expect(checks([old, old, new, new], served: old) == [false, false, false, true])
        #expect(checks([new, new], served: new) == [false, false])
    }

    @Test func `an invalid file is read again after a change`() {
        let (old, bad, good) = (fingerprints("/dev/null"), fingerprints("/nowhere"), fingerprints("/dev/zero"))
        let looks = [bad, bad, bad, good, good]
        #expect(checks(looks, served: old, refusing: bad) == [false, true, false, false, true])
    }
}

@Suite struct DescriptorPlanTests {
    /// One upstream with 100 connections, 2 workers and one listener: 2 * (100 + 3 + 1) + 64 + 64 in addition to the
    /// clients.
    private func plan(connections: Int = 1000, available: Int) throws(DescriptorPlan.Shortage) -> DescriptorPlan {
        try DescriptorPlan(
            connections: connections, upstreamConnections: 100, adminConnections: 64, workers: 2, listeners: 1,
            available: available)
    }

    @Test func `enough descriptors keep the configured limit`() throws {
        let plan = try plan(available: 1336)
        #expect(plan.needed == 1336 && plan.connections == 1000 && !plan.isShort)
    }

    @Test(arguments: [(1335, 999), (1024, 688), (400, 64)])
    func `clients get the remaining descriptors`(available: Int, connections: Int) throws {
        let plan = try plan(available: available)
        #expect(plan.connections == connections && plan.isShort)
    }

    @Test(arguments: [399, 64, 0]) func `too few descriptors are an error`(available: Int) throws {
        let error = try #require(throws: DescriptorPlan.Shortage.self) { try plan(available: available) }
        #expect(error.description.contains("may open \(available) files but needs 1336"))
        #expect(error.description.contains("LimitNOFILE="))
    }

    @Test func `a limit below the descriptors is granted`() throws {
        #expect(try plan(connections: 4, available: 340).connections == 4)
        #expect(throws: DescriptorPlan.Shortage.self) { try plan(connections: 4, available: 339) }
        #expect(try plan(connections: 1_000_000, available: .max).connections == 1_000_000)
    }

    @Test func `the limit of the process is raised once`() {
        let limit = DescriptorLimit.raise()
        #expect(limit >= 256)
        #expect(DescriptorLimit.raise() == limit)
    }
}
