import GRDB
import Revocation

/// The tables of the embedded store and their versions, which `user_version` records.
///
/// CHECK constraints reject invalid values on write. Readers check again, since a file can be written without the
/// constraints.
enum SQLiteSchema {
    /// The application id of the file: "GHSE".
    static let applicationID: Int64 = 0x4748_5345

    /// The first n migrations lead to version n.
    private static let migrations = [
        version1, version2, version3, version4, version5, version6, version7, version8, version9, version10,
        version11, version12, version13, version14, version15, version16,
    ]

    /// The first version with links, accounts and settings.
    static let versionOfAccounts = 3
    /// The first version with the times of authentications.
    static let versionOfProofs = 4
    /// The first version with unlinked identities and the sources of addresses.
    static let versionOfUnlinked = 4
    /// The first version with the evidence of links from Firebase.
    static let versionOfEvidence = 11
    /// The first version with the parts of profiles that users choose.
    static let versionOfProfiles = 14

    /// Migrates the file to the current version in one transaction.
    static func migrate(_ db: Database) throws {
        try db.inTransaction(.immediate) {
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try check(db, version: version)
            for migration in migrations.dropFirst(version) { try db.execute(sql: migration) }
            if version < migrations.count {
                try db.execute(sql: "PRAGMA application_id = \(applicationID)")
                try db.execute(sql: "PRAGMA user_version = \(migrations.count)")
            }
            return .commit
        }
    }

    /// Throws `.incompatible` for a file of another program or of a newer version.
    static func check(_ db: Database, version: Int) throws {
        guard version <= migrations.count else {
            throw StoreError(
                .incompatible,
                "the store's file has version \(version), but this gateway supports up to \(migrations.count);"
                    + " use the gateway version that wrote it, or a newer one")
        }
        let owner = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard owner == applicationID || (version == 0 && owner == 0 && isEmpty) else {
            throw StoreError(
                .incompatible, "the file is a database of another program; configure another file in `store`")
        }
    }

    private static let version1 = """
        CREATE TABLE user (
            uid TEXT NOT NULL PRIMARY KEY CHECK (typeof(uid) = 'text'),
            valid_since INTEGER CHECK (valid_since IS NULL OR \(isTime("valid_since"))),
            disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
        ) WITHOUT ROWID;
        CREATE TABLE session (
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            session TEXT NOT NULL CHECK (typeof(session) = 'text'),
            revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
            signed_in_at INTEGER CHECK (signed_in_at IS NULL OR \(isTime("signed_in_at"))),
            expires INTEGER CHECK (expires IS NULL OR \(isTime("expires"))),
            PRIMARY KEY (uid, session)
        ) WITHOUT ROWID;
        CREATE INDEX session_expires ON session (expires) WHERE expires IS NOT NULL;
        CREATE TABLE changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            what TEXT NOT NULL
        );
        """

    /// Single-use values.
    private static let version2 = ["nonce", "seen"].map { table in
        """
        CREATE TABLE \(table) (
            hash BLOB NOT NULL PRIMARY KEY CHECK (typeof(hash) = 'blob' AND length(hash) = 32),
            expires INTEGER NOT NULL CHECK \(isTime("expires"))
        ) WITHOUT ROWID;
        CREATE INDEX \(table)_expires ON \(table) (expires);

        """
    }.joined()

    /// The purposes of nonces, and accounts. The table of links also decides which user each belongs to.
    private static let version3 = """
        ALTER TABLE nonce ADD COLUMN purpose TEXT NOT NULL DEFAULT 'any' CHECK (typeof(purpose) = 'text');
        CREATE TABLE account (
            uid TEXT NOT NULL PRIMARY KEY CHECK (typeof(uid) = 'text'),
            email TEXT CHECK (email IS NULL OR typeof(email) = 'text'),
            email_verified INTEGER NOT NULL DEFAULT 0 CHECK (email_verified IN (0, 1)),
            name TEXT CHECK (name IS NULL OR typeof(name) = 'text'),
            created INTEGER CHECK (created IS NULL OR \(isTime("created")))
        ) WITHOUT ROWID;
        CREATE TABLE link (
            provider TEXT NOT NULL CHECK (typeof(provider) = 'text'),
            subject TEXT NOT NULL CHECK (typeof(subject) = 'text'),
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            PRIMARY KEY (provider, subject)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX link_uid ON link (uid, provider);
        CREATE TABLE email (
            email TEXT NOT NULL PRIMARY KEY CHECK (typeof(email) = 'text'),
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text')
        ) WITHOUT ROWID;
        CREATE TABLE setting (
            name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),
            value BLOB NOT NULL CHECK (typeof(value) = 'blob')
        ) WITHOUT ROWID;
        """

    /// The order of sessions and revocations, the times of authentications, the sources of addresses, and unlinked
    /// identities.
    private static let version4 = """
        ALTER TABLE user ADD COLUMN last_session INTEGER
            CHECK (last_session IS NULL OR \(isTime("last_session")));
        ALTER TABLE user ADD COLUMN revoked_at INTEGER
            CHECK (revoked_at IS NULL OR \(isTime("revoked_at")));
        ALTER TABLE session ADD COLUMN authenticated_at INTEGER
            CHECK (authenticated_at IS NULL OR \(isTime("authenticated_at")));
        ALTER TABLE account ADD COLUMN email_from TEXT
            CHECK (email_from IS NULL OR typeof(email_from) = 'text');
        ALTER TABLE account ADD COLUMN unlinked_more INTEGER NOT NULL DEFAULT 0
            CHECK (unlinked_more IN (0, 1));
        CREATE TABLE unlinked (
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            provider TEXT NOT NULL CHECK (typeof(provider) = 'text'),
            subject TEXT NOT NULL CHECK (typeof(subject) = 'text'),
            PRIMARY KEY (uid, provider, subject)
        ) WITHOUT ROWID;
        """

    /// Open sign-in flows.
    private static let version5 = """
        CREATE TABLE flow (
            holder BLOB NOT NULL CHECK (typeof(holder) = 'blob' AND length(holder) = 32),
            name BLOB NOT NULL CHECK (typeof(name) = 'blob' AND length(name) = 32),
            value TEXT NOT NULL CHECK (typeof(value) = 'text'),
            expires INTEGER NOT NULL CHECK \(isTime("expires")),
            PRIMARY KEY (holder, name)
        ) WITHOUT ROWID;
        CREATE INDEX flow_expires ON flow (expires);
        """

    /// Deleted accounts, of which only the uid and the time remain.
    private static let version6 = """
        ALTER TABLE account ADD COLUMN deleted INTEGER CHECK (deleted IS NULL OR \(isTime("deleted")));
        """

    /// The queue of changes to write back.
    private static let version7 = """
        CREATE TABLE write_back (
            part TEXT NOT NULL CHECK (typeof(part) = 'text'),
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            version INTEGER NOT NULL CHECK (typeof(version) = 'integer'),
            queued INTEGER NOT NULL CHECK \(isTime("queued")),
            due INTEGER NOT NULL CHECK \(isTime("due")),
            PRIMARY KEY (part, uid)
        ) WITHOUT ROWID;
        CREATE INDEX write_back_due ON write_back (due);
        """

    /// The outbox, and the sealed tokens of linked identities.
    private static let version8 = """
        ALTER TABLE link ADD COLUMN token TEXT CHECK (token IS NULL OR typeof(token) = 'text');
        CREATE TABLE outbox (
            id TEXT NOT NULL PRIMARY KEY CHECK (typeof(id) = 'text'),
            kind TEXT NOT NULL CHECK (typeof(kind) = 'text'),
            destination TEXT NOT NULL CHECK (typeof(destination) = 'text'),
            body TEXT NOT NULL CHECK (typeof(body) = 'text'),
            queued INTEGER NOT NULL CHECK \(isTime("queued")),
            due INTEGER NOT NULL CHECK \(isTime("due")),
            parked INTEGER CHECK (parked IS NULL OR \(isTime("parked")))
        );
        CREATE INDEX outbox_due ON outbox (due) WHERE parked IS NULL;
        CREATE INDEX outbox_parked ON outbox (parked) WHERE parked IS NOT NULL;
        """

    /// Parked changes, and the numbers of rows of both tables, which a new change compares with its bound.
    private static let version9 =
        """
        CREATE TABLE write_back_parked (
            part TEXT NOT NULL CHECK (typeof(part) = 'text'),
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            project TEXT NOT NULL CHECK (typeof(project) = 'text'),
            parked INTEGER NOT NULL CHECK \(isTime("parked")),
            PRIMARY KEY (part, uid)
        ) WITHOUT ROWID;
        CREATE INDEX write_back_parked_project ON write_back_parked (project);
        CREATE INDEX write_back_queued ON write_back (queued);
        CREATE TABLE queue_size (
            queue TEXT NOT NULL PRIMARY KEY CHECK (typeof(queue) = 'text'),
            size INTEGER NOT NULL CHECK (typeof(size) = 'integer')
        ) WITHOUT ROWID;
        INSERT INTO queue_size (queue, size) SELECT 'write_back', count(*) FROM write_back;
        INSERT INTO queue_size (queue, size) VALUES ('write_back_parked', 0);

        """ + counters(of: "write_back") + counters(of: "write_back_parked")

    /// The triggers that count the rows of a table.
    private static func counters(of table: String) -> String {
        [("added", "INSERT", "+"), ("removed", "DELETE", "-")].map { name, event, sign in
            """
            CREATE TRIGGER \(table)_\(name) AFTER \(event) ON \(table) BEGIN
                UPDATE queue_size SET size = size \(sign) 1 WHERE queue = '\(table)';
            END;

            """
        }.joined()
    }

    /// The blocks of users by their authors, and the users with records only because of events of transmitters.
    private static let version10 = """
        ALTER TABLE user ADD COLUMN blocked_by TEXT CHECK (blocked_by IS NULL OR typeof(blocked_by) = 'text');
        ALTER TABLE user ADD COLUMN expires INTEGER CHECK (expires IS NULL OR \(isTime("expires")));
        CREATE TABLE unknown_user (
            transmitter TEXT NOT NULL CHECK (typeof(transmitter) = 'text'),
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            expires INTEGER NOT NULL CHECK \(isTime("expires")),
            PRIMARY KEY (transmitter, uid)
        ) WITHOUT ROWID;
        CREATE INDEX unknown_user_expires ON unknown_user (expires);
        CREATE TABLE transmitter (
            name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),
            unknown_users INTEGER NOT NULL CHECK (typeof(unknown_users) = 'integer')
        ) WITHOUT ROWID;
        """

    /// The evidence of links that were made from Firebase.
    private static let version11 = """
        ALTER TABLE link ADD COLUMN firebase TEXT CHECK (firebase IS NULL OR typeof(firebase) = 'text');
        """

    /// The reasons of parked messages, tokens beside a refresh token, and the removals that users requested.
    private static let version12 = """
        ALTER TABLE link ADD COLUMN newer_token TEXT CHECK (newer_token IS NULL OR typeof(newer_token) = 'text');
        ALTER TABLE outbox ADD COLUMN reason TEXT CHECK (reason IS NULL OR typeof(reason) = 'text');
        DROP INDEX outbox_due;
        CREATE INDEX outbox_due ON outbox (destination, due) WHERE parked IS NULL;
        CREATE INDEX outbox_totals ON outbox (destination, parked, queued);
        CREATE TABLE removal (
            uid TEXT NOT NULL PRIMARY KEY CHECK (typeof(uid) = 'text'),
            ends INTEGER NOT NULL CHECK \(isTime("ends")),
            count INTEGER NOT NULL CHECK (typeof(count) = 'integer')
        ) WITHOUT ROWID;
        CREATE INDEX removal_ends ON removal (ends);
        """

    /// The lists of users' sessions.
    private static let version13 = """
        CREATE TABLE session_list (
            uid TEXT NOT NULL CHECK (typeof(uid) = 'text'),
            id TEXT NOT NULL CHECK (typeof(id) = 'text'),
            session TEXT NOT NULL CHECK (typeof(session) = 'text'),
            began INTEGER NOT NULL CHECK \(isTime("began")),
            last_used INTEGER NOT NULL CHECK \(isTime("last_used")),
            ends INTEGER NOT NULL CHECK \(isTime("ends")),
            facts TEXT NOT NULL CHECK (typeof(facts) = 'text'),
            PRIMARY KEY (uid, id)
        ) WITHOUT ROWID;
        CREATE INDEX session_list_ends ON session_list (ends);
        """

    /// The parts of profiles that users choose, and the open change of an address.
    private static let version14 = """
        ALTER TABLE account ADD COLUMN picture TEXT CHECK (picture IS NULL OR typeof(picture) = 'text');
        ALTER TABLE account ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0
            CHECK (typeof(chosen) = 'integer' AND chosen BETWEEN 0 AND \(ProfileParts.all.rawValue));
        ALTER TABLE account ADD COLUMN email_ticket TEXT
            CHECK (email_ticket IS NULL OR typeof(email_ticket) = 'text');
        """

    /// The accounts that others were merged into.
    private static let version15 = """
        ALTER TABLE account ADD COLUMN merged_into TEXT CHECK (merged_into IS NULL OR typeof(merged_into) = 'text');
        """

    /// The sessions that began again.
    private static let version16 = """
        ALTER TABLE user ADD COLUMN restarted INTEGER CHECK (restarted IS NULL OR \(isTime("restarted")));
        ALTER TABLE user ADD COLUMN restarted_from INTEGER
            CHECK (restarted_from IS NULL OR \(isTime("restarted_from")));
        """

    private static func isTime(_ column: String) -> String {
        "(typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND \(StoreBounds.maximumTime))"
    }
}
