import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures
@testable import SystemFixtures

/// The contract of every store for the blocks of a user by their authors.
@Suite(.closingStores) struct StoreBlockSuite {
    /// A change of a user's blocks.
    enum Step: Sendable, CustomStringConvertible {
        case block(String, Int64), lift(String, Int64), disable, enable

        var description: String {
            switch self {
            case .block(let name, let time): "\(name) blocks at \(time)"
            case .lift(let name, let time): "\(name) lifts at \(time)"
            case .disable: "an operator disables"
            case .enable: "an operator enables"
            }
        }

        func apply(_ store: any GatewayStore, _ user: UserKey = "ann") async throws -> UserRecord {
            switch self {
            case .block(let name, let time): try await store.setDisabled(user, true, by: Self.author(name, time))
            case .lift(let name, let time): try await store.setDisabled(user, false, by: Self.author(name, time))
            case .disable: try await store.setDisabled(user, true)
            case .enable: try await store.setDisabled(user, false)
            }
        }

        private static func author(_ name: String, _ time: Int64) -> ChangeAuthor {
            ChangeAuthor(transmitter: name, time: UnixTime(clamping: time))
        }
    }

    static let histories: [(steps: [Step], isDisabled: Bool)] = [
        ([.block("a", 5), .lift("a", 5)], false),
        ([.block("a", 5), .lift("a", 4)], true),
        ([.block("a", 5), .block("a", 3), .lift("a", 4)], true),
        ([.block("a", 3), .block("a", 5), .lift("a", 4)], true),
        ([.block("a", 5), .lift("b", 9)], true),
        ([.block("a", 5), .block("b", 6), .lift("a", 9)], true),
        ([.block("a", 5), .block("b", 6), .lift("a", 9), .lift("b", 9)], false),
        ([.disable, .lift("a", 9)], true),
        ([.disable, .block("a", 5), .lift("a", 9)], true),
        ([.block("a", 5), .disable, .lift("a", 9)], true),
        ([.block("a", 5), .disable, .lift("a", 9), .enable], false),
        ([.block("a", 5), .block("b", 5), .enable], false),
        ([.block("a", 5), .enable, .disable, .lift("a", 9)], true),
        ([.lift("a", 9)], false),
        ([.lift("a", 9), .block("a", 5)], true),
    ]

    @Test(arguments: StoreMaker.all, histories)
    func `a transmitter lifts its own block only, and an operator lifts all`(
        _ maker: StoreMaker, _ history: (steps: [Step], isDisabled: Bool)
    ) async throws {
        let store = try await maker()
        var last = UserRecord()
        for step in history.steps { last = try await step.apply(store) }
        #expect(last.disabled == history.isDisabled)
        #expect(try await store.user("ann").disabled == history.isDisabled)
        let lookup: UserLookup = history.isDisabled ? .record(validSince: nil, disabled: true) : .none
        try await eventually("the view") { try store.view.user("ann") == lookup ? true : nil }
    }

    @Test(arguments: StoreMaker.all)
    func `the number of authors is bounded, and further blocks are an operator's`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let names = (0...UserBlocks.maximum).map { "t\($0)" }
        for name in names { _ = try await Step.block(name, 5).apply(store) }
        for name in names { #expect(try await Step.lift(name, 9).apply(store).disabled) }
        #expect(try await !Step.enable.apply(store).disabled)
    }

    @Test(arguments: StoreMaker.all)
    func `a lifted block leaves no record, and the revocation stays`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for user in ["ann", "bob"] as [UserKey] { _ = try await Step.block("a", 5).apply(store, user) }
        try await store.revoke("bob", at: 7)
        for user in ["ann", "bob"] as [UserKey] { _ = try await Step.lift("a", 6).apply(store, user) }
        #expect(try await store.user("ann") == UserRecord())
        #expect(try await store.user("bob") == UserRecord(validSince: 7))
    }

    @Test(arguments: StoreMaker.all)
    func `changes of a transmitter are written back only by its choice`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        store.writeBack.set(
            WriteBackSwitch.Policy(
                limit: 10, target: { _ in WriteBackTarget(project: "my-app", tenant: nil) }, added: {}))
        for isWrittenBack in [false, true] {
            let author = ChangeAuthor(transmitter: "a", time: 5, isWrittenBack: isWrittenBack)
            let expected: WriteBackOutcome = isWrittenBack ? .queued : .off
            #expect(try await store.revoke("ann", at: 7, .before, by: author).writeBack == expected)
            #expect(try await store.setDisabled("ann", true, by: author).writeBack == expected)
            #expect(try await store.setDisabled("ann", false, by: author).writeBack == expected)
        }
        let poll = try await store.pollWriteBacks(by: "a", lease: 60, limit: 10)
        #expect(poll.entries.map(\.part.rawValue).sorted() == ["disabled", "valid_since"])
    }

    @Test(arguments: StoreMaker.all)
    func `no event enables the user of a deleted account`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let user = madeUID(1)
        #expect(try await store.createAccount(.made(user, .apple("1")), claimsEmail: false) == .created)
        _ = try await Step.block("a", 5).apply(store, user)
        _ = try await store.deleteAccount(user, unlessChangedFrom: nil)
        #expect(try await Step.lift("a", 9).apply(store, user).disabled)
        #expect(try await Step.enable.apply(store, user).disabled)
    }

    @Test(
        arguments: [
            (true, nil, "a", true), (true, "a=5", "a", false), (true, "a=5 b=7", "b", true),
            (true, "*=0 a=5", "a", true),
            (true, "", "a", true), (true, "a", "a", true), (true, "a=x a=-1 =5", "a", true), (false, "a=5", "a", false),
        ] as [(Bool, String?, String, Bool)])
    func `stored blocks that are not valid are an operator's`(
        isDisabled: Bool, text: String?, lifting: String, remains: Bool
    ) {
        var blocks = UserBlocks(isDisabled: isDisabled, text)
        blocks.set(false, by: ChangeAuthor(transmitter: lifting, time: 9))
        #expect(!blocks.isEmpty == remains)
    }
}
