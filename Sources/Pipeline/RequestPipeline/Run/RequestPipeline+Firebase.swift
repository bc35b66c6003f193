package import Authentication
import Authorization
import GatewayCore
import HTTPWire
package import Routing

/// The Firebase credentials that requests with a host may have.
package struct FirebaseHosts: Sendable {
    private let hosts: HostMap
    private let requirements: [FirebaseRequirement]

    /// Creates the table. `requirements` has one element for each host.
    package init(_ hosts: HostMap, _ requirements: [FirebaseRequirement]) {
        self.hosts = hosts
        self.requirements = requirements
    }

    func requirement(of host: UnsafeRawBufferPointer) -> FirebaseRequirement? {
        hosts.index(of: host).map { requirements[$0] }
    }
}

extension RequestPipeline {
    /// Denies a credential that belongs to another Firebase project or tenant than the route and the host require.
    @inline(never)
    func checkFirebase(
        _ run: inout PipelineRun, _ request: RequestView, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let principal = run.identity?.principal else { return nil }
        var host: FirebaseRequirement?
        // The host of an introspection request is the gateway's own.
        if case .introspection = run.target {
        } else {
            host = settings.firebaseHosts?.requirement(of: request.head.host.bytes(in: request.bytes))
        }
        let route = run.plan?.policy.firebase
        guard route != nil || host != nil else { return nil }
        let failure = route?.failure(of: principal) ?? host?.failure(of: principal)
        observer.observe(.firebase(failure))
        guard let failure else { return nil }
        run.reason = failure.text
        return .deny(Denial(failure.code))
    }
}
