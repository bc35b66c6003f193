import AdminAPI
import Revocation

extension AdministrationError {
    /// Creates the error of an operation that a store did not complete.
    init(_ error: StoreError) {
        switch error.code {
        case .invalidUID, .invalidSession, .invalidTime, .invalidAccount, .tooManyLinks: self = .invalid(error.message)
        case .faultyRecord: self = .unavailable(error.message)
        default: self = .storeUnavailable
        }
    }
}
