import GatewayCore

extension AdminDocument {
    /// Returns the gateways that share the store, this one first, and warnings about their differences.
    static func fleet(_ fleet: AdministeredFleet) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("shared", fleet.isShared)
                body.add("trouble", orNull: fleet.trouble)
                body.add("warnings", fleet.warnings) { warning, output in
                    output.add("kind", warning.kind)
                    output.add("detail", warning.detail)
                }
                body.add("gateways", Array(fleet.members.enumerated())) { member, output in
                    output.add("id", member.element.id)
                    output.add("self", member.offset == 0)
                    member.element.add(to: &output)
                }
            })
    }
}
