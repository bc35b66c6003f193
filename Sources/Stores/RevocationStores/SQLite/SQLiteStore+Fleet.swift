package import Revocation

// This process is the only user of the file.

extension SQLiteStore: FleetStore {
    /// Returns `nil`: one process has the file.
    package func announce(_ gateway: FleetEntry, now: Int64) async throws(StoreError) -> [FleetEntry]? { nil }
}

/// Leases, which this process always has.
extension SQLiteStore: LeaseStore {
    package func acquireLease(_: String, by _: String, seconds _: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        return true
    }

    package func releaseLease(_: String, of _: String) async throws(StoreError) {}
}
