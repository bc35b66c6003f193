import AdminAPI
import Forwarding
import GatewayConfiguration
import HTTPServer
import Logging

extension Gateway {
    /// How many client connections there may be: as configured, or fewer where the system gives too few file descriptors.
    func connectionLimit(of generation: Generation) throws(GatewayStartError) -> Int {
        let (configuration, snapshot) = (generation.configuration, generation.snapshot)
        let plan: DescriptorPlan
        do throws(DescriptorPlan.Shortage) {
            plan = try DescriptorPlan(
                connections: snapshot.connectionLimit,
                upstreamConnections: snapshot.upstreams.reduce(0) { $0 + $1.connections },
                adminConnections: configuration.admin.address == nil ? 0 : AdminServer.Limits().connections,
                workers: loops.count, listeners: configuration.listen.count, available: DescriptorLimit.raise())
        } catch {
            throw GatewayStartError(error.description)
        }
        if plan.isShort {
            logger.warning(
                "fewer file descriptors than the limits need: fewer client connections are accepted",
                metadata: [
                    "needed": "\(plan.needed)", "available": "\(plan.available)",
                    "connections": "\(plan.connections)", "remedy": "\(DescriptorPlan.remedy)",
                ])
        }
        return plan.connections
    }
}
