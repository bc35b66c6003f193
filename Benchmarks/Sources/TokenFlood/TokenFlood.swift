import DevelopmentIdentity
import Foundation
import JOSE

/// Asks a gateway with very many different valid tokens, each once, and tells its memory as it goes: every cache must stay bounded.
///
///     TokenFlood PATH_OF_GATEHOUSE [COUNT]        (1,000,000 by default; about six minutes on two cores)
@main
struct TokenFlood {
    static func main() async throws {
        guard CommandLine.arguments.count > 1 else { return print("usage: TokenFlood PATH_OF_GATEHOUSE [COUNT]") }
        let count = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 1_000_000 : 1_000_000
        let provider = try await DevelopmentProvider.start()
        let upstream = try await EchoUpstream.start()
        let gateway = try GatewayUnderTest(binary: CommandLine.arguments[1], provider: provider, upstream: upstream)
        defer { gateway.stop() }
        print("\("requests".leftPadded(to: 10))\("refused".leftPadded(to: 10))\("MiB resident".leftPadded(to: 15))")
        let steps = 10
        var asked = 0
        var refused = 0
        for step in 1...steps {
            let until = count * step / steps
            refused += await flood(asked..<until, provider: provider, port: gateway.port)
            asked = until
            let memory = String(format: "%.1f", gateway.residentMiB)
            print("\("\(asked)".leftPadded(to: 10))\("\(refused)".leftPadded(to: 10))\(memory.leftPadded(to: 15))")
        }
    }

    /// How many of the requests were not answered with 200.
    private static func flood(_ range: Range<Int>, provider: DevelopmentProvider, port: Int) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for lane in 0..<2 {
                group.addTask { query(range.lowerBound + lane, range.upperBound, provider, port) }
            }
            return await group.reduce(0, +)
        }
    }

    private static func query(_ first: Int, _ end: Int, _ provider: DevelopmentProvider, _ port: Int) -> Int {
        guard var connection = LoopbackConnection(port: port) else { return end - first }
        var refused = 0
        for number in stride(from: first, to: end, by: 2) {
            let user = DevelopmentUser.named("flood-\(number)")
            guard let token = try? provider.sign(provider.idToken(for: user)), connection.query(token: token) == 200
            else {
                refused += 1
                continue
            }
        }
        return refused
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
