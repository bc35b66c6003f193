import Foundation
import GRDB
import GatewayCore
import JOSE
package import Revocation

/// The list of accounts, in the order of the bytes of their names. A cursor is the last name in base64url.
extension SQLiteStore: AccountAdministrationStore {
    /// Returns a part of the list, read from the file.
    package func accounts(after cursor: String?, limit: Int) async throws(StoreError) -> AccountPage {
        try checkOpen()
        try StoreBounds.check(page: limit)
        let last = try SQLiteAccountList.position(of: cursor)
        return try await writer.read { db in try SQLiteAccountList.page(after: last, limit: limit, db) }
    }
}

/// The statements for the list of accounts.
enum SQLiteAccountList {
    static func position(of cursor: String?) throws(StoreError) -> [UInt8] {
        guard let cursor else { return [] }
        guard let last = Base64URL.decode(cursor), 1...RedisRecordKey.maximumNames ~= last.count else {
            throw .unknownCursor()
        }
        return last
    }

    /// Each index is read from the position on, and at most `limit` names of it.
    static func page(after last: [UInt8], limit: Int, _ db: Database) throws -> AccountPage {
        let statement = try db.cachedStatement(
            sql: """
                SELECT CAST(uid AS BLOB) FROM (
                    SELECT * FROM (SELECT uid FROM account WHERE uid > CAST(?1 AS TEXT) ORDER BY uid LIMIT ?2)
                    UNION
                    SELECT * FROM (SELECT DISTINCT uid FROM link WHERE uid > CAST(?1 AS TEXT) ORDER BY uid LIMIT ?2)
                ) ORDER BY uid LIMIT ?2
                """)
        let names = try Data.fetchAll(statement, arguments: [Data(last), limit])
        var page = AccountPage()
        for name in names {
            // Of another name, no lookup finds a record.
            guard let text = String(validating: name, as: UTF8.self) else { continue }
            let account = try listed(UserKey(name: text), db)
            if account.saysAnything { page.accounts.append(account) }
        }
        if names.count == limit { page.next = names.last.map { Base64URL.encode(Array($0)) } }
        return page
    }

    private static func listed(_ user: UserKey, _ db: Database) throws -> ListedAccount {
        guard (try? StoreBounds.check(user: user)) != nil else { return ListedAccount(user: user, isFaulty: true) }
        do {
            let record = try SQLiteAccounts.account(user, db)
            return ListedAccount(
                user: user, email: record.email, name: record.name, created: record.created,
                deleted: try SQLiteAccounts.creation(of: user, db).deleted, providers: record.links.keys.sorted())
        } catch let error as StoreError where error.code == .faultyRecord {
            return ListedAccount(user: user, isFaulty: true)
        }
    }
}
