internal import Synchronization

extension ProviderService {
    /// Responds to `POST /mint`.
    ///
    /// The server listens on loopback only. The check of `Host` excludes web pages that rebind their name to 127.0.0.1.
    func mint(_ request: ReceivedRequest) -> Response {
        var response = minted(request)
        response.fields += request.sharingFields
        return response
    }

    private func minted(_ request: ReceivedRequest) -> Response {
        guard request.isAddressedToLoopback else {
            return .json(["error": "the Host field must name 127.0.0.1 or localhost"], status: 403)
        }
        if request.method == "OPTIONS" { return Response(status: 204, fields: [("Allow", "POST, OPTIONS")]) }
        guard request.method == "POST" else { return .json(["error": "POST a JSON object"], status: 405) }
        guard request.bodyLength == request.bodyPrefix.count else {
            return .json(["error": "the body is longer than 16 KiB"], status: 413)
        }
        do throws(MintRequest.Problem) {
            let base = state.withLock { $0.base }
            let mint = try MintRequest(request.bodyPrefix, now: now())
            return token(try mint.minted(project: project, base: base, now: now()))
        } catch {
            return .json(["error": .string(error.text)], status: 400)
        }
    }

    private func token(_ minted: MintRequest.Minted) -> Response {
        do throws(DevelopmentIdentityError) {
            return .json(["token": .string(try text(of: minted))])
        } catch {
            return .json(["error": .string(error.description)], status: 503)
        }
    }

    private func text(of minted: MintRequest.Minted) throws(DevelopmentIdentityError) -> String {
        switch minted {
        case .firebase(let token): return try state.withLock { $0.keys }.sign(token)
        case .provider(let token): return try keyring.sign(token)
        case .opaque(let token):
            try opaque.add(token)
            return token.text
        }
    }
}

extension ReceivedRequest {
    fileprivate var isAddressedToLoopback: Bool {
        value(of: "Host").map { Self.isLoopback($0) } ?? false
    }

    /// The fields that let a page on another port of this machine read the response (Fetch, section 3.2.3). Pages of
    /// other hosts must not obtain tokens of the demo.
    fileprivate var sharingFields: [(name: String, value: String)] {
        guard let origin = value(of: "Origin"), origin.hasPrefix("http://"), Self.isLoopback(origin.dropFirst(7)) else {
            return [("Vary", "Origin")]
        }
        let fields = [("Vary", "Origin"), ("Access-Control-Allow-Origin", origin)]
        guard method == "OPTIONS" else { return fields }
        return fields + [
            ("Access-Control-Allow-Methods", "POST"), ("Access-Control-Allow-Headers", "content-type"),
            ("Access-Control-Max-Age", "600"),
        ]
    }

    /// Accepts a host with an optional port.
    private static func isLoopback(_ authority: some StringProtocol) -> Bool {
        let parts = authority.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return ["127.0.0.1", "localhost"].contains(parts[0]) && (parts.count == 1 || UInt16(parts[1]) != nil)
    }
}
