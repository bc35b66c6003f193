import GRDB
import GatewayCore
import Revocation

extension StoredField<UnixTime?> {
    /// A time in seconds, or none.
    init(time value: DatabaseValue) {
        switch value.storage {
        case .null: self = .valid(nil)
        case .int64(let seconds): self = UnixTime(seconds).map { .valid($0) } ?? .faulty
        default: self = .faulty
        }
    }
}

extension StoredField<Bool> {
    /// 0 or 1.
    init(flag value: DatabaseValue) {
        switch value.storage {
        case .int64(0): self = .valid(false)
        case .int64(1): self = .valid(true)
        default: self = .faulty
        }
    }
}
