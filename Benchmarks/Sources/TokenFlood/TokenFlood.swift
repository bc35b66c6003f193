import DevelopmentIdentity
import Foundation
import JOSE

/// Sends requests with many different valid tokens, each once, and prints the memory of the gateway at ten steps. Every
/// cache must remain bounded.
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
        print("\("requests".leftPadded(to: 10))\("denied".leftPadded(to: 10))\("MiB resident".leftPadded(to: 15))")
        let steps = 10
        var sent = 0
        var denied = 0
        for step in 1...steps {
            let until = count * step / steps
            denied += await flood(sent..<until, provider: provider, port: gateway.port)
            sent = until
            let memory = String(format: "%.1f", gateway.residentMiB)
            print("\("\(sent)".leftPadded(to: 10))\("\(denied)".leftPadded(to: 10))\(memory.leftPadded(to: 15))")
        }
    }

    /// Sends the requests of the range. Returns the number without a 200.
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
        var denied = 0
        for number in stride(from: first, to: end, by: 2) {
            let user = DevelopmentUser.named("flood-\(number)")
            guard let token = try? provider.sign(provider.idToken(for: user)), connection.query(token: token) == 200
            else {
                denied += 1
                continue
            }
        }
        return denied
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
