internal import Synchronization

extension ProviderService {
    /// Answers `POST /mint`.
    ///
    /// The server listens on loopback only; the check of `Host` keeps a web page that rebinds its name to 127.0.0.1 out.
    func mint(_ request: ReceivedRequest) -> Answer {
        guard request.isAddressedToLoopback else {
            return .json(["error": "the Host field must name 127.0.0.1 or localhost"], status: 403)
        }
        guard request.method == "POST" else { return .json(["error": "POST a JSON object"], status: 405) }
        guard request.bodyLength == request.bodyPrefix.count else {
            return .json(["error": "the body is longer than 16 KiB"], status: 413)
        }
        do throws(MintRequest.Problem) {
            return signed(try MintRequest(request.bodyPrefix, now: now()).token(project: project, now: now()))
        } catch {
            return .json(["error": .string(error.text)], status: 400)
        }
    }

    private func signed(_ token: FirebaseToken) -> Answer {
        do throws(DevelopmentIdentityError) {
            return .json(["token": .string(try state.withLock { $0.keys }.sign(token))])
        } catch {
            return .json(["error": .string(error.description)], status: 503)
        }
    }
}

extension ReceivedRequest {
    fileprivate var isAddressedToLoopback: Bool {
        let host = value(of: "Host")?.lowercased() ?? ""
        return ["127.0.0.1", "localhost"].contains { host == $0 || host.hasPrefix($0 + ":") }
    }
}
