import GRDB
import Revocation

extension StoreError {
    /// Converts an error of reading or writing.
    init(_ error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error)
        default: self.init(.io, "the store's file could not be read or written: \(error)")
        }
    }

    /// Converts an error of opening `path`.
    init(opening path: String, _ error: any Error) {
        let error = StoreError(error)
        self.init(error.code, "\(path): \(error.message)")
    }

    private init(_ error: DatabaseError) {
        let code = error.extendedResultCode.rawValue
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .inUse,
                "another process has opened the store's file; stop it, use a separate file for this gateway,"
                    + " or share a store over Redis")
        case .SQLITE_FULL:
            self.init(.full, "no space for the store's file (SQLite \(code)); free space on its disk")
        case .SQLITE_READONLY:
            self = .readOnly()
        case .SQLITE_CORRUPT:
            self.init(.corrupt, "the store's file is damaged (SQLite \(code)); restore it from a backup")
        case .SQLITE_NOTADB:
            self.init(.incompatible, "the file is not a SQLite database; configure another file in `store`")
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(
                .cannotOpen,
                "the store's file cannot be opened (SQLite \(code)); its folder must exist and be writable")
        case .SQLITE_MISUSE:
            self = .closed()
        default:
            self.init(.io, "SQLite failed (\(code)); check the disk of the store's file")
        }
    }
}
