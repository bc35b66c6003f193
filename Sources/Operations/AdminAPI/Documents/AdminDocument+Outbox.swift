import GatewayCore
import JOSE
import Revocation

extension AdminDocument {
    private static let limits = JSONLimits(size: 65_536, depth: 4, members: 256)

    /// Returns the state of the outbox. A message has no token and no identity.
    static func outbox(_ outbox: AdministeredOutbox) -> AdminResponse {
        .json(
            ObjectText.object { body in
                let status = outbox.status
                body.add("waiting", Int64(status.count))
                body.add("oldest_seconds", orNull: status.age)
                body.add("lease", status.isHolder)
                body.add("failing", orNull: status.failing)
                body.add("dropped", Int64(clamping: status.dropped))
                body.add("parked", Int64(status.parked))
                body.add("destinations", status.lanes.sorted { $0.key < $1.key }) { lane, output in
                    output.add("destination", lane.key)
                    output.add("waiting", Int64(lane.value.count))
                    output.add("oldest_seconds", orNull: lane.value.age)
                    output.add("parked", Int64(lane.value.parked))
                    output.add("lease", lane.value.isHolder)
                    output.add("failing", orNull: lane.value.failing)
                }
                body.add("parked_messages", outbox.parked) { parked, output in
                    let message = parked.message
                    let content = (try? JSONDocument(Array(message.body.utf8), limits: limits))?.root
                    output.add("id", message.id)
                    output.add("kind", message.kind.rawValue)
                    output.add("destination", message.destination)
                    output.add("reason", parked.reason.rawValue)
                    output.add("queued_at", message.queued)
                    output.add("uid", content?["uid"]?.string)
                    output.add("project", content?["project"]?.string)
                    output.add("tenant", content?["tenant"]?.string)
                    output.add("event", content?["type"]?.string)
                }
            })
    }

    /// Returns the number of messages that a call changed.
    static func messages(_ name: String, _ count: Int) -> AdminResponse {
        .json(ObjectText.object { $0.add(name, Int64(count)) })
    }
}
