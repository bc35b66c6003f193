/// Leases: work that one gateway at a time performs, a facet of a store beside `Store`.
///
/// A lease prevents double work in normal operation. The work must be correct without it, because a gateway may stall
/// for longer than its lease.
package protocol LeaseStore: Sendable {
    /// Acquires or renews a lease, unless another gateway has it. Returns whether the caller has it.
    ///
    /// - Parameters:
    ///   - name: The name of the lease: visible ASCII, 1 to 128 bytes.
    ///   - holder: The name of the caller, which is unique.
    ///   - seconds: The duration of the lease.
    func acquireLease(_ name: String, by holder: String, seconds: Int64) async throws(StoreError) -> Bool

    /// Releases a lease, if the caller has it.
    func releaseLease(_ name: String, of holder: String) async throws(StoreError)
}
