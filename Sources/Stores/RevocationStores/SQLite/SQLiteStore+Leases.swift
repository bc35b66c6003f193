package import Revocation

/// Leases: this process is the only user of the file, so it always has them.
extension SQLiteStore: LeaseStore {
    package func acquireLease(_: String, by _: String, seconds _: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        return true
    }

    package func releaseLease(_: String, of _: String) async throws(StoreError) {}
}
