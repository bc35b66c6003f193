import Authentication
import Authorization
import GatewayCore
import HTTPServer
import RequestPipeline
import Revocation

// Streams, and other exchanges that last, end with the permission of their user.
extension ClientExchange {
    /// Counts a stream, and watches its bounds.
    func openStream(_ kind: OpenStream.Kind, for client: ClientHandler) -> OpenStream? {
        guard let worker, let plan = run.plan, run.route >= 0 else { return nil }
        worker.counters.add(to: kind == .answer ? .streamsAnswered : .streamsTunneled)
        worker.counters.adjust(.streamsOpen, by: 1)
        return OpenStream(
            kind,
            watch: StreamWatch(
                bounds: plan.stream, began: worker.front.time, expiresAt: run.identity?.standing.expiresAt))
    }

    func watchExchange(of client: ClientHandler) -> OpenStream? {
        guard let worker, let plan = run.plan, run.route >= 0, let identity = run.identity else { return nil }
        return OpenStream(
            .exchange,
            watch: StreamWatch(
                bounds: plan.stream.ofPermission, began: worker.front.time, expiresAt: identity.standing.expiresAt))
    }

    /// Why a stream's user may not go on, by what this worker knows now. What it does not know, however long, ends no stream.
    func refusal(of stream: OpenStream) -> DecisionCode? {
        guard let worker, let standing = run.identity?.standing, run.plan?.policy.revocation != .off else { return nil }
        let (authorizer, accounts) = (worker.pipeline.authorizer, worker.pipeline.accounts)
        let changes = authorizer.store.view.changes &+ (accounts?.table.changes ?? 0)
        guard stream.watch.mustAsk(changes: changes) else { return nil }
        return authorizer.refusal(standing, account: accounts?.table.find(standing.userKey)?.answer)
    }
}
