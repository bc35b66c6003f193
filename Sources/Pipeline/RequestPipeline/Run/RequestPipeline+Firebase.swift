package import Authentication
import Authorization
import GatewayCore
import HTTPWire
package import Routing

/// The Firebase credentials that requests with a host may have.
package struct FirebaseHosts: Sendable {
    private let hosts: HostMap
    private let requirements: [FirebaseRequirement?]

    /// Creates the table. `requirements` has one element for each host, `nil` if the host accepts every credential.
    package init(_ hosts: HostMap, _ requirements: [FirebaseRequirement?]) {
        self.hosts = hosts
        self.requirements = requirements
    }

    /// Returns the failure of a credential on a host. `nil` if the host accepts it. A host that is not listed accepts
    /// none.
    func failure(of principal: Principal, on host: UnsafeRawBufferPointer) -> VerificationFailure? {
        guard let index = hosts.index(of: host) else {
            return VerificationFailure(code: .tenantMismatch, reason: .unlistedHost)
        }
        return requirements[index]?.failure(of: principal)
    }
}

extension RequestPipeline {
    /// Denies a credential that belongs to another Firebase project or tenant than the route and the host require.
    @inline(never)
    func checkFirebase(
        _ run: inout PipelineRun, _ request: RequestView, _ observer: some PipelineObserver
    ) -> PhaseEnd? {
        guard let principal = run.identity?.principal else { return nil }
        var hosts = settings.firebaseHosts
        // The host of an introspection request is the gateway's own.
        if case .introspection = run.target { hosts = nil }
        let route = run.plan?.policy.firebase
        guard route != nil || hosts != nil else { return nil }
        let failure =
            route?.failure(of: principal)
            ?? hosts?.failure(of: principal, on: request.head.host.bytes(in: request.bytes))
        observer.observe(.firebase(failure))
        guard let failure else { return nil }
        run.reason = failure.text
        return .deny(Denial(failure.code))
    }
}
