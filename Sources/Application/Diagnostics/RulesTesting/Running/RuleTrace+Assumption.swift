import GatewayCore
package import SecurityRules

extension RuleTrace.Section {
    /// The assumption about the user, in words. `nil` without one.
    package var assumption: String? {
        guard case .assuming(let age, let secondFactor) = pass else { return nil }
        let assumptions = [
            age.map { $0 == 0 ? "signed in just now" : "signed in \(DurationText.write(.seconds($0))) ago" },
            secondFactor ? "used a second factor" : nil,
        ]
        return "had the user " + assumptions.compactMap(\.self).joined(separator: " and ")
    }
}
