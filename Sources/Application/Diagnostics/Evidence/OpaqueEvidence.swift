import Authentication
import GatewayConfiguration
import GatewayCore
import NIOPosix
import OutboundHTTP
import PrintableText

/// The introspection of single opaque tokens for diagnosis.
struct OpaqueEvidenceSource: Sendable {
    /// `nil` if no provider is queried.
    let query: (@Sendable (_ token: [UInt8], _ provider: Configuration.Provider) async -> Judgement)?

    /// Queries providers over HTTP, with the limits of the gateway's own calls.
    static func live(clockSkew: Duration, clock: GatewayClock) -> OpaqueEvidenceSource {
        OpaqueEvidenceSource { token, provider in
            let timeout = provider.opaqueTokens?.timeout ?? .seconds(5)
            let transport = OutboundHTTPClient(
                group: MultiThreadedEventLoopGroup.singleton, connections: 1, longest: timeout)
            let judgement = await judgement(of: token, provider, transport, clockSkew: clockSkew, clock: clock)
            await transport.shutdown()
            return judgement
        }
    }

    /// A source that queries no provider.
    static let none = OpaqueEvidenceSource(query: nil)

    static func judgement(
        of token: [UInt8], _ provider: Configuration.Provider, _ transport: any OutboundTransport, clockSkew: Duration,
        clock: GatewayClock
    ) async -> Judgement {
        guard let check = provider.tokenCheck, let tokens = provider.opaqueTokens else {
            return .failed(LookupFailure(.invalidURL))
        }
        switch await transport.send(check.request(about: token), within: tokens.timeout) {
        case .success(let reply):
            return ProvenResponse.judge(
                reply, by: check, now: clock.now(), clockSkew: clockSkew.components.seconds)
        case .failure(let failure): return .failed(failure)
        }
    }
}

extension LookupFailure {
    /// The failure for display. Its detail may contain text of the remote service.
    var shown: String {
        kind.rawValue + (detail.isEmpty ? "" : " (\(PrintableText.escaped(detail)))")
    }
}
