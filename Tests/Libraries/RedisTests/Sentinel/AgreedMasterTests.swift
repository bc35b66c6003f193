import Testing

@testable import Redis

/// The server that all links use.
struct AgreedMasterTests {
    private static let old = RedisEndpoint(host: "old", port: 1)
    private static let new = RedisEndpoint(host: "new", port: 2)

    private static func named(_ endpoint: RedisEndpoint?) -> SentinelPoll.Finding {
        SentinelPoll.Finding(named: endpoint, isQuorate: true)
    }

    private static let lost = SentinelPoll.Finding(named: nil, isQuorate: false)

    /// Returns the order for the link that has opened, and the order for the others.
    private static func opened(_ master: inout AgreedMaster, at endpoint: RedisEndpoint) -> [MasterAgreement.Order?] {
        let orders = master.opened(at: endpoint)
        return [orders.own, orders.others]
    }

    /// A master on which the links and the sentinels agree.
    private static var agreed: AgreedMaster {
        var master = AgreedMaster()
        _ = master.opened(at: old)
        _ = master.polled(named(old))
        return master
    }

    @Test func `a link that opens at another server takes the others along`() {
        var master = Self.agreed
        #expect(Self.opened(&master, at: Self.old) == [nil, nil])
        #expect(Self.opened(&master, at: Self.new) == [nil, .move(to: Self.new)])
        #expect(Self.opened(&master, at: Self.new) == [nil, nil])
    }

    @Test func `a new answer of the majority moves all links at once`() {
        var master = Self.agreed
        #expect(master.polled(Self.named(nil)) == nil)
        #expect(master.polled(Self.named(Self.new)) == .move(to: Self.new))
        #expect(master.polled(Self.named(Self.new)) == nil)
        #expect(Self.opened(&master, at: Self.new) == [nil, nil])
    }

    @Test func `a link that finds the abandoned master goes to the named one`() {
        var master = Self.agreed
        _ = master.polled(Self.named(Self.new))
        #expect(Self.opened(&master, at: Self.old) == [.move(to: Self.new), nil])
        // Until the majority names it again.
        #expect(master.polled(Self.named(Self.old)) == .move(to: Self.old))
        #expect(Self.opened(&master, at: Self.old) == [nil, nil])
    }

    @Test func `a slot that moved back is served by the former master before the majority names it`() {
        var master = Self.agreed
        _ = master.polled(Self.named(Self.new))
        master.redirected(from: Self.new, to: Self.old)
        #expect(Self.opened(&master, at: Self.old) == [nil, .move(to: Self.old)])
        for _ in 1..<AgreedMaster.disagreementLimit { #expect(master.polled(Self.named(Self.new)) == nil) }
        #expect(master.polled(Self.named(Self.old)) == nil)
        #expect(Self.opened(&master, at: Self.old) == [nil, nil])
    }

    @Test func `only the master that the majority names can refer to the former one`() {
        var master = Self.agreed
        _ = master.polled(Self.named(Self.new))
        master.redirected(from: RedisEndpoint(host: "other", port: 3), to: Self.old)
        master.redirected(from: Self.old, to: Self.new)
        #expect(Self.opened(&master, at: Self.old) == [.move(to: Self.new), nil])
    }

    @Test func `links that know a failover earlier than the majority stay there for a few rounds`() {
        var master = Self.agreed
        _ = master.opened(at: Self.new)
        for _ in 1..<AgreedMaster.disagreementLimit { #expect(master.polled(Self.named(Self.old)) == nil) }
        #expect(master.polled(Self.named(Self.old)) == .move(to: Self.old))
        _ = master.opened(at: Self.new)
        _ = master.polled(Self.named(Self.old))
        #expect(master.polled(Self.named(Self.new)) == nil)
        #expect(Self.opened(&master, at: Self.new) == [nil, nil])
    }

    @Test func `without a quorum no link uses a server`() {
        var master = Self.agreed
        #expect(master.polled(Self.lost) == .leave)
        #expect(master.polled(Self.lost) == nil)
        #expect(Self.opened(&master, at: Self.old) == [.leave, nil])
        #expect(master.polled(Self.named(Self.old)) == nil)
        #expect(Self.opened(&master, at: Self.old) == [nil, .move(to: Self.old)])
    }

    @Test func `the first answer of the majority has precedence over that of one sentinel`() {
        var master = AgreedMaster()
        _ = master.opened(at: Self.old)
        #expect(master.polled(Self.named(Self.new)) == .move(to: Self.new))
    }
}
