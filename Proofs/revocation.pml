/*
 * Replicated revocation: writers, a Redis with a replica, and one gateway that follows the change stream.
 *
 * README.md states the invariants, the abstractions, and the code that each part stands for. Each macro NO_... or
 * similar of `mutants.txt` removes one defence. The bounds below are set by the runs of `runs.txt`.
 */
#ifndef WRITES
#define WRITES 3        /* writes of all writers together */
#endif
#ifndef FAILOVERS
#define FAILOVERS 0     /* promotions of the replica, which lose the writes that it lacks; also restarts of Redis */
#endif
#ifndef FLUSHES
#define FLUSHES 0       /* FLUSHALL: the same server, without its data */
#endif
#ifndef TRIMS
#define TRIMS 0         /* entries that are removed from the start of the stream */
#endif
#ifndef RESTARTS
#define RESTARTS 0      /* restarts of the gateway */
#endif
#ifndef DUE
#define DUE 0           /* scheduled readings of everything */
#endif
#ifndef LOSSES
#define LOSSES 1        /* lost connections between the gateway and the same server */
#endif
#ifndef EPOCHS
#define EPOCHS 4        /* more than the number of failovers; ids of different epochs never collide */
#endif
#define ENTRIES (WRITES + 2)

/* Facts: acknowledged restrictions. The user's `valid_since` is at level 1 or at level 2; the session is revoked. */
#define LEVEL1 1
#define LEVEL2 2
#define SESSION 4

/* Entries of the stream: what they name. */
#define NAMES_LEVEL1 1
#define NAMES_LEVEL2 2
#define WITHDRAWS 3
#define NAMES_SESSION 4
#define NAMES_OTHER 5

/* Operations of writers. */
#define REVOKE 1
#define WITHDRAW 2
#define REVOKE_SESSION 3
#define TOUCH_OTHER 4

typedef Server {
    byte user;              /* level of `valid_since`; 0: no revocation */
    bit session;            /* whether the session is revoked */
    byte last;              /* last-generated-id */
    byte added;             /* entries-added */
    byte count;             /* entries that remain */
    byte id[ENTRIES];
    byte kind[ENTRIES];
    byte clock;             /* the server's clock, of which ids are made */
    byte identity           /* run_id and master_replid */
};

Server server[2];
byte master = 0;
byte epoch = 1;             /* counts masters */
byte history = 1;           /* counts masters and losses: a write that spans one is not acknowledged */
byte writes = 0;
byte failovers = 0, flushes = 0, trims = 0, restarts = 0, dues = 0, losses = 0;

/* Ghosts: the obligations. */
byte acked = 0;             /* facts that are acknowledged and not withdrawn */
byte aged = 0;              /* facts whose acknowledgement is older than the staleness bound */
byte excused = 0;           /* facts that Redis lost before the gateway had read them */
byte snapshot = 0;          /* facts that were acknowledged when the gateway sent XINFO */
byte confirmed = 0;         /* facts that were acknowledged before the view's confirmed time */
bit withdrawn = 0;          /* whether a withdrawal is acknowledged and not overridden */
bit withdrawalExcused = 0;  /* whether its entry was lost or trimmed before the gateway had read it */
bit isForked = 0;           /* whether the master lacks the position of a gateway that has not compared it yet */
bit snapshotW = 0, confirmedW = 0;

/* The gateway: the view. */
byte user = 0;              /* level of the user's record */
bit userKept = 0, session = 0, sessionKept = 0;
bit userSet = 0, sessionSet = 0;    /* whether set since the last reading began */
byte sweep = 0;             /* 0: none; 1: of users; 2: of sessions */
byte sweepDue = 0;          /* 1: after the reading; 2: after the comparison that follows it was sent */
bit wentBack = 0;
bit isLoaded = 0;

/* The gateway: ReplicaMachine. */
#define AWAY 0
#define INFORMATION 2
#define OVERLAP 3
#define PLAN 4
#define HINT_USER 5
#define HINT_SESSION 6
#define SLICE 7
#define XINFO 8
#define XREAD 9
byte phase = AWAY;
bit isConnected = 0;
byte current = 0;           /* the server of the connection */
byte identity = 0, followed = 0;
bit hasPosition = 0;
byte position = 0, seen = 0;
bit isWhole = 0;
#define FIRST 1
#define GAP 2
#define SCHEDULED 3
byte reread = 0, wantedReread = 0;
bit readUser = 0, readSession = 0;          /* progress of the reading */
bit hintUser = 0, hintUserParts = 0, hintSession = 0, hintSessionParts = 0;
bit sentUser = 0, sentUserParts = 0, sentSession = 0, sentSessionParts = 0, asksInformation = 0;
bit isVoid = 0;
bit isPending = 0;
byte pendingLast = 0, pendingAdded = 0;
bit isProven = 0, provenUser = 0, provenSession = 0;
byte informationLast = 0, informationAdded = 0;
#define CONTINUES 1
#define LOST 2
byte overlap = 0;
#ifdef SAVES
/* The file of the view: SavedView. Its records are read one after the other, after its position. */
byte saves = 0;
byte saving = 0;            /* 0: no file is being written; 1: the position was taken; 2: the user was read */
bit isSaved = 0;            /* whether there is a file */
byte newPosition = 0, newSeen = 0, newFollowed = 0, newUser = 0;
byte filePosition = 0, fileSeen = 0, fileFollowed = 0, fileUser = 0;
bit fileSession = 0;
bit isFromFile = 0;         /* whether the view is from the file and was not confirmed yet */
#endif
byte i = 0;                 /* scratch; 0 between steps */

#define has(s, facts) ((((facts) & LEVEL1) == 0 || server[s].user >= 1) \
    && (((facts) & LEVEL2) == 0 || server[s].user >= 2) && (((facts) & SESSION) == 0 || server[s].session))

/* ---- Redis ---- */

inline copy(from, to) {
    server[to].user = server[from].user; server[to].session = server[from].session;
    server[to].last = server[from].last; server[to].added = server[from].added;
    server[to].count = server[from].count;
    i = 0;
    do
    :: i < ENTRIES ->
        server[to].id[i] = server[from].id[i]; server[to].kind[i] = server[from].kind[i]; i++
    :: else -> break
    od;
    i = 0
}

/* XADD. The id is greater than the last one and follows the clock of the server. */
inline append(what) {
    if
    :: server[master].clock < server[master].last / EPOCHS -> server[master].clock = server[master].last / EPOCHS
    :: else
    fi;
    if
    :: server[master].clock++
    :: FAILOVERS > 0 && failovers == 0 -> server[master].clock = server[master].clock + 2
    fi;
    server[master].last = server[master].clock * EPOCHS + epoch - 1;
    server[master].id[server[master].count] = server[master].last;
    server[master].kind[server[master].count] = what;
    server[master].count++;
    server[master].added++
}

/* Sets `i` to the entry of the gateway's position, or to ENTRIES. */
inline find_position(s) {
    i = 0;
    do
    :: i < server[s].count && server[s].id[i] != position -> i++
    :: else -> break
    od;
    if :: i == server[s].count -> i = ENTRIES :: else fi
}

/* ---- Ghosts ---- */

/* A restriction is acknowledged. */
inline acknowledge(facts) {
    /* Facts that are in force already keep the time of their first acknowledgement. */
    i = (facts) & ~(acked & ~excused);
    aged = aged & ~i; confirmed = confirmed & ~i; snapshot = snapshot & ~i;
    acked = acked | (facts); excused = excused & ~(facts);
    i = 0
}

/* Whether an entry that may withdraw was read, and the record was not. */
#define readsUser ((hintUser && hintUserParts) || (sentUser && sentUserParts))
#define readsSession (hintSession || sentSession)

/* ReplicaMachine.savedPosition */
#define isComplete (isLoaded && isWhole && !isFromFile && phase >= PLAN && !hintUser && !sentUser && !hintSession \
    && !sentSession)

/* Facts that a server lost are excused unless the gateway has confirmed them. */
inline excuse_one(fact, isInView) {
    if
    :: (acked & fact) && !has(master, fact) && !(isInView) -> excused = excused | fact
    :: else
    fi
}

inline excuse_lost() {
    excuse_one(LEVEL1, (confirmed & LEVEL1) && !readsUser);
    excuse_one(LEVEL2, (confirmed & LEVEL2) && !readsUser);
    excuse_one(SESSION, (confirmed & SESSION) && !readsSession)
}

inline clear_withdrawal() { withdrawn = 0; withdrawalExcused = 0; snapshotW = 0; confirmedW = 0 }

/* ---- Writers ---- */

/* The script of the operation, one step in Redis. */
inline write_record(operation, level) {
    if
    :: operation == REVOKE ->
        clear_withdrawal();
#ifdef LOWERS
        server[master].user = level
#else
        if :: level > server[master].user -> server[master].user = level :: else fi
#endif
    :: operation == WITHDRAW ->
        server[master].user = 0;
        acked = acked & SESSION; aged = aged & SESSION; confirmed = confirmed & SESSION;
        snapshot = snapshot & SESSION; excused = excused & SESSION
    :: operation == REVOKE_SESSION -> server[master].session = 1
    :: else
    fi
}

inline write_entry(operation, level) {
    if
    :: operation == REVOKE -> append(level)
    :: operation == WITHDRAW -> append(WITHDRAWS)
    :: operation == REVOKE_SESSION -> append(NAMES_SESSION)
    :: else -> append(NAMES_OTHER)
    fi
}

inline acknowledged(operation, level) {
    if
#ifdef LOWERS
    :: operation == REVOKE -> acknowledge((level == 2 -> LEVEL1 | LEVEL2 : LEVEL1))
#else
    :: operation == REVOKE && server[master].user >= level ->
        acknowledge((level == 2 -> LEVEL1 | LEVEL2 : LEVEL1))
#endif
    :: operation == WITHDRAW && server[master].user == 0 ->
        /* Restrictions that Redis lost and that were written during this withdrawal are withdrawn, too. */
        acked = acked & SESSION; aged = aged & SESSION; confirmed = confirmed & SESSION;
        snapshot = snapshot & SESSION; excused = excused & SESSION;
        clear_withdrawal(); withdrawn = 1; withdrawalExcused = isForked
    :: operation == REVOKE_SESSION && server[master].session -> acknowledge(SESSION)
    :: else
    fi
}

proctype Writer() {
    byte operation = 0, level = 0, began = 0;
end:
    do
    :: atomic {
        writes < WRITES ->
        writes++;
        if
        :: operation = REVOKE; level = 1
        :: operation = REVOKE; level = 2
        :: operation = WITHDRAW
        :: operation = REVOKE_SESSION
        :: operation = TOUCH_OTHER
        fi;
        began = history
        }
        if
        :: atomic {
            began == history ->
#ifdef ENTRY_FIRST
            write_entry(operation, level);
            printf("writer %d: entry of operation %d level %d, before the record\n", _pid, operation, level)
#else
            write_record(operation, level);
            printf("writer %d: record of operation %d level %d\n", _pid, operation, level)
#endif
#ifdef ACK_AFTER_RECORD
            ; acknowledged(operation, level); printf("writer %d: acknowledged\n", _pid)
#endif
            };
            if
            :: atomic {
                began == history ->
#ifdef ENTRY_FIRST
                write_record(operation, level);
#else
                write_entry(operation, level);
#endif
#ifndef ACK_AFTER_RECORD
                acknowledged(operation, level);
#endif
                printf("writer %d: second step, acknowledged\n", _pid)
                }
            :: printf("writer %d: ends between the steps\n", _pid)
            fi
        :: began != history
        fi;
        atomic { operation = 0; level = 0; began = 0 }
    od
}

/* ---- The view ---- */

/* RecordWord.keeping and ReplicaTable.set */
inline set_user(value, mayWeaken) {
    if
#ifndef NO_KEEP
    :: value < user && !(mayWeaken) -> userKept = 1
#endif
    :: else -> user = value; userKept = 0
    fi;
    userSet = 1
}

inline set_session(value, mayWeaken) {
    if
#ifndef NO_KEEP
    :: value < session && !(mayWeaken) -> sessionKept = 1
#endif
    :: else -> session = value; sessionKept = 0
    fi;
    sessionSet = 1
}

/* ReplicaTable.sweep, one slice in each tick of the event loop */
inline sweep_users() {
    if
    :: !userSet && user > 0 ->
#ifdef SWEEPS_USERS
        user = 0; userKept = 0
#else
        userKept = 1
#endif
    :: else
    fi;
    sweep = 2
}

inline sweep_sessions() {
    if
#ifndef SWEEPS_SESSIONS
    :: !sessionSet && session && (wentBack || userKept) -> sessionKept = 1
    :: !sessionSet && session && !(wentBack || userKept) -> session = 0; sessionKept = 0
#else
    :: !sessionSet && session -> session = 0; sessionKept = 0
#endif
    :: else
    fi;
    sweep = 0
}

/* ---- ReplicaMachine ---- */

inline forget_check() {
    isPending = 0; isProven = 0; pendingLast = 0; pendingAdded = 0; provenUser = 0; provenSession = 0
}

inline begin_reread(why) {
    reread = why; wantedReread = 0; readUser = 0; readSession = 0;
    userSet = 0; sessionSet = 0; sweep = 0; sweepDue = 0;
    printf("gateway: reading of everything begins (%d)\n", why)
}

/* startOver */
inline start_over(newLast, newAdded, why) {
#ifndef CONFIRMS_WHILE_READING
    isWhole = 0;
#endif
    if
    :: hasPosition && (newLast < position || newAdded < seen || overlap == LOST) ->
#ifndef NO_LOSS_EVIDENCE
        wentBack = 1;
#endif
#ifndef KEEPS_WITHDRAWALS
        hintUserParts = 0; hintSessionParts = 0;
#endif
        isForked = 0
#ifdef SAVES
#ifndef KEEPS_FILE
    :: else -> if :: isFromFile -> user = 0; userKept = 0; session = 0; sessionKept = 0 :: else fi
#else
    :: else
#endif
#else
    :: else
#endif
    fi;
    hasPosition = 1; position = newLast; seen = newAdded; followed = identity;
    forget_check();
    isVoid = 1;
#ifdef NO_REREAD
    if :: why == FIRST -> begin_reread(why) :: else -> isWhole = 1 fi
#else
#ifdef KEEPS_CURSOR
    if :: reread == 0 && wantedReread == 0 -> begin_reread(why) :: else -> reread = why; wantedReread = 0 fi
#else
    begin_reread(why)
#endif
#endif
}

/* ReplicaCheck.takeProven and StoreView.confirm */
inline confirm() {
    if
#ifndef SWEEPS_EARLY
    /* The comparison began before the end of the reading. */
    :: isProven && !provenUser && !provenSession && sweepDue == 1 -> isProven = 0
#endif
    :: isProven && !provenUser && !provenSession && sweepDue != 1 ->
#ifdef CONFIRMS_AT_REPLY
        confirmed = acked; confirmedW = withdrawn;
#else
        confirmed = snapshot; confirmedW = snapshotW;
#endif
        isProven = 0; isLoaded = 1;
#ifdef SAVES
        isFromFile = 0;
#endif
        if :: sweepDue == 2 -> sweep = 1; sweepDue = 0 :: else fi;
        printf("gateway: confirmed\n")
    :: else
    fi
}

/* proceed */
inline proceed() {
    if
    :: isPending && position == pendingLast ->
        if
#ifndef NO_COUNT
        :: seen != pendingAdded -> start_over(pendingLast, pendingAdded, GAP)
        :: else ->
#else
        :: true ->
#endif
            seen = pendingAdded;
            isPending = 0; pendingLast = 0; pendingAdded = 0;
            if
            :: isWhole ->
                isProven = 1;
#ifndef NO_HINT_WAIT
                provenUser = hintUser; provenSession = hintSession;
#endif
                confirm()
            :: else
            fi
        fi
    :: else
    fi
}

/* compare: the state of the stream, as reported by XINFO */
inline compare() {
    isPending = 1; pendingLast = informationLast; pendingAdded = informationAdded;
    if
    :: pendingLast < position -> start_over(informationLast, informationAdded, GAP)
    :: else -> proceed()
    fi
}

/* record: an entry of the stream */
inline take_entry(what) {
#ifdef APPLIES_VALUES
    if
    :: what == NAMES_LEVEL1 || what == NAMES_LEVEL2 -> if :: what > user -> user = what :: else fi
    :: what == WITHDRAWS -> user = 0
    :: what == NAMES_SESSION -> session = 1
    :: else
    fi
#else
    if
    :: what == NAMES_LEVEL1 || what == NAMES_LEVEL2 -> hintUser = 1;
#ifdef ANY_ENTRY_WEAKENS
        hintUserParts = 1
#endif
    :: what == WITHDRAWS -> hintUser = 1; hintUserParts = 1
    :: what == NAMES_SESSION -> hintSession = 1; hintSessionParts = 1
    :: else
    fi
#endif
}

/* follow: the reply to XREAD, any number of the entries after the position */
inline follow() {
    i = 0;
    do
    :: i < server[current].count && server[current].id[i] <= position -> i++
    :: else -> break
    od;
    if
    :: i == server[current].count ->
        if
        :: isPending -> start_over(pendingLast, pendingAdded, GAP)
        :: else
        fi
    :: else ->
        do
        :: i < server[current].count && !isVoid ->
            if
            :: isPending && server[current].id[i] > pendingLast -> start_over(pendingLast, pendingAdded, GAP)
            :: else ->
                position = server[current].id[i]; seen++;
                printf("gateway: entry %d of kind %d\n", position, server[current].kind[i]);
                take_entry(server[current].kind[i]);
                i++;
                proceed()
            fi
        :: i > 0 && server[current].id[i - 1] == position && !isVoid -> break   /* COUNT */
        :: i >= server[current].count || isVoid -> break
        od
    fi;
    i = 0
}

/* finishRound and planRound */
inline plan() {
    if
    :: reread != 0 && readUser && readSession ->
        reread = 0; isWhole = 1; readUser = 0; readSession = 0;
#ifdef SWEEPS_EARLY
        sweep = 1;
#else
        sweepDue = 1;
#endif
#ifdef POSITION_AFTER_READING
        position = server[current].last; seen = server[current].added; forget_check();
#endif
        printf("gateway: reading of everything ends\n")
    :: reread == 0 && isWhole && sweep == 0 && sweepDue == 0 && dues < DUE -> dues++; begin_reread(SCHEDULED)
    :: !(reread != 0 && readUser && readSession)
    fi;
    sentUser = hintUser; sentUserParts = hintUserParts; sentSession = hintSession;
    sentSessionParts = hintSessionParts;
    hintUser = 0; hintUserParts = 0; hintSession = 0; hintSessionParts = 0;
    isVoid = 0;
    if
    :: !isPending && !isProven ->
        asksInformation = 1; snapshot = acked; snapshotW = withdrawn;
        if :: sweepDue == 1 -> sweepDue = 2 :: else fi
    :: asksInformation = 0
    fi;
    phase = (sentUser -> HINT_USER : (sentSession -> HINT_SESSION : (reread != 0 -> SLICE :
        (asksInformation -> XINFO : XREAD))))
}

/* resume: the first comparison on a connection */
inline resume() {
    if
    :: !hasPosition -> start_over(informationLast, informationAdded, FIRST)
    :: hasPosition && identity != followed && overlap == CONTINUES ->
        /* The history contains the position, so that the withdrawals after it are still read. */
        isWhole = 0; followed = identity; forget_check(); begin_reread(GAP)
    :: hasPosition && identity != followed && overlap != CONTINUES ->
        start_over(informationLast, informationAdded, GAP)
    :: else ->
        if
        :: wantedReread != 0 ->
#ifdef KEEPS_CURSOR
            reread = wantedReread; wantedReread = 0
#else
            begin_reread(wantedReread)
#endif
        :: else
        fi;
        compare()
    fi;
    overlap = 0; informationLast = 0; informationAdded = 0;
    phase = PLAN
}

/* Whether the history of another server contains the last entry that was seen. */
inline look_for_position() {
#ifdef NO_OVERLAP
    overlap = 0;
#else
    find_position(current);
    if
    :: position == 0 || i < ENTRIES -> overlap = CONTINUES
    :: else ->
        if
        :: informationLast == position && informationAdded == seen -> overlap = CONTINUES
        :: else ->
            /* Entries are removed from the start only: a missing entry after the first one never was there. */
            if
            :: server[current].count > 0 && server[current].id[0] < position -> overlap = LOST
            :: server[current].count == server[current].added -> overlap = LOST
            :: else
            fi
        fi
    fi;
    i = 0;
#ifdef SKIPS_TO_END
    if :: overlap == CONTINUES -> overlap = 0 :: else fi;
#endif
#endif
    skip
}

/* The connection is lost: abandon. */
inline lose_connection() {
    isConnected = 0;
#ifndef DROPS_HINTS
    hintUser = hintUser | sentUser; hintUserParts = hintUserParts | sentUserParts;
    hintSession = hintSession | sentSession; hintSessionParts = hintSessionParts | sentSessionParts;
#endif
    sentUser = 0; sentUserParts = 0; sentSession = 0; sentSessionParts = 0; asksInformation = 0;
    forget_check();
    if :: reread != 0 -> wantedReread = reread :: else fi;
    if :: sweepDue == 2 -> sweepDue = 1 :: else fi;
    reread = 0;
#ifndef KEEPS_CURSOR
    readUser = 0; readSession = 0;
#endif
    overlap = 0; informationLast = 0; informationAdded = 0; isVoid = 0; identity = 0;
    phase = AWAY
}

proctype Gateway() {
end:
    do
    :: atomic {
        phase != AWAY && losses < LOSSES ->
        losses++; lose_connection();
        printf("gateway: connection lost\n")
        }
    :: atomic {
        phase == AWAY ->
        isConnected = 1;
#ifdef NO_ROLE
        if :: current = master :: current = 1 - master fi;
#else
        current = master;
#endif
#ifdef NO_IDENTITY
        identity = 1;
#else
        identity = server[current].identity;
#endif
        phase = INFORMATION;
        /* The first comparison confirms the time at which it was sent. */
        snapshot = acked; snapshotW = withdrawn;
        if :: sweepDue == 1 -> sweepDue = 2 :: else fi;
        printf("gateway: connected\n")
        }
    :: atomic {
        isConnected && phase == INFORMATION ->
        informationLast = server[current].last; informationAdded = server[current].added;
        if
        :: hasPosition && identity != followed -> phase = OVERLAP
        :: else ->
            resume()
        fi
        }
    :: atomic {
        isConnected && phase == OVERLAP ->
        look_for_position();
        if :: overlap == CONTINUES -> isForked = 0 :: else fi;
        resume()
        }
    /* The last reply of a round arrives later than the command was executed. */
    :: atomic { isConnected && phase == PLAN -> plan() }
    :: atomic {
        isConnected && phase == HINT_USER ->
        set_user(server[current].user, sentUserParts);
        printf("gateway: user is %d\n", user);
        sentUser = 0; sentUserParts = 0;
        provenUser = 0; confirm();
        phase = (sentSession -> HINT_SESSION : (reread != 0 -> SLICE : (asksInformation -> XINFO : XREAD)))
        }
    :: atomic {
        isConnected && phase == HINT_SESSION ->
        set_session(server[current].session, sentSessionParts);
        printf("gateway: session is %d\n", session);
        sentSession = 0; sentSessionParts = 0;
        provenSession = 0; confirm();
        phase = (reread != 0 -> SLICE : (asksInformation -> XINFO : XREAD))
        }
    :: atomic {
        isConnected && phase == SLICE ->
        /* SCAN returns the keys that exist; HMGET reads them. */
        if
        :: !readUser ->
            if :: server[current].user > 0 -> set_user(server[current].user, 0) :: else fi;
            readUser = 1;
            printf("gateway: reading: user is %d\n", user)
        :: !readSession ->
            if :: server[current].session -> set_session(1, 0) :: else fi;
            readSession = 1;
            printf("gateway: reading: session is %d\n", session)
        :: readUser && readSession
        fi;
        phase = (asksInformation -> XINFO : XREAD)
        }
    :: atomic {
        isConnected && phase == XINFO ->
        asksInformation = 0;
        informationLast = server[current].last; informationAdded = server[current].added;
        compare();
        informationLast = 0; informationAdded = 0;
        phase = XREAD
        }
    :: atomic {
        isConnected && phase == XREAD ->
        if :: !isVoid -> follow() :: else fi;
        phase = PLAN
        }
    :: atomic { sweep == 1 -> sweep_users() }
    :: atomic { sweep == 2 -> sweep_sessions() }
#ifdef RESTORES
    /* RedisStore.restore: the record, then the entry, after the loss was confirmed. */
    :: atomic {
        sweep == 0 && isWhole && isLoaded && userKept && user > server[master].user && isProven == 0
            && confirmedAfterSweep() ->
        assert(!withdrawn || withdrawalExcused);
        server[master].user = user
        }
#endif
    :: atomic {
        restarts < RESTARTS ->
        restarts++;
        lose_connection();
        user = 0; userKept = 0; session = 0; sessionKept = 0; userSet = 0; sessionSet = 0; sweep = 0;
        wentBack = 0; isLoaded = 0; followed = 0; hasPosition = 0; position = 0; seen = 0; isWhole = 0;
        wantedReread = 0; hintUser = 0; hintUserParts = 0; hintSession = 0; hintSessionParts = 0; sweepDue = 0;
        readUser = 0; readSession = 0;
        confirmed = 0; confirmedW = 0; snapshot = 0; snapshotW = 0;
#ifdef SAVES
        isFromFile = 0; saving = 0; newPosition = 0; newSeen = 0; newFollowed = 0; newUser = 0;
        if
        :: isSaved ->
            user = fileUser; session = fileSession; position = filePosition; seen = fileSeen; followed = fileFollowed;
            hasPosition = 1; isWhole = 1; isFromFile = 1;
            printf("gateway: starts with the file; user %d, session %d, position %d\n", user, session, position)
        :: else
        fi;
#endif
        excuse_lost();
        printf("gateway: restart\n")
        }
#ifdef SAVES
    /* ViewSaver.save */
    :: atomic {
        saving == 0 && saves < SAVES && isComplete ->
        saves++;
        saving = 1; newPosition = position; newSeen = seen; newFollowed = followed;
        printf("gateway: saves position %d\n", position)
        }
    :: atomic { saving == 1 -> saving = 2; newUser = user }
    :: atomic {
        saving == 2 ->
        saving = 0; isSaved = 1;
#ifdef SAVES_POSITION_LAST
        newPosition = position; newSeen = seen;
#endif
        filePosition = newPosition; fileSeen = newSeen; fileFollowed = newFollowed; fileUser = newUser;
        fileSession = session;
        newPosition = 0; newSeen = 0; newFollowed = 0; newUser = 0;
        printf("gateway: saved\n")
        }
#endif
    od
}

/* ---- Events of the environment ---- */

proctype Environment() {
end:
    do
    :: atomic { failovers < FAILOVERS -> copy(master, 1 - master); printf("redis: the replica has everything\n") }
    :: atomic {
        failovers < FAILOVERS ->
        failovers++;
        if
        :: server[1 - master].added < server[master].added -> withdrawalExcused = withdrawn
        :: else
        fi;
        master = 1 - master; epoch++; history++; server[master].identity = epoch;
        if :: server[master].user > 0 -> clear_withdrawal() :: else fi;
        excuse_lost();
        find_position(master); isForked = position > 0 && i == ENTRIES; i = 0;
#ifndef ISOLATED
        if :: phase != AWAY -> lose_connection() :: else fi;
        if :: failovers == FAILOVERS -> copy(master, 1 - master) :: else fi;
#endif
        printf("redis: failover; user %d, session %d, last %d\n", server[master].user, server[master].session,
            server[master].last)
        }
    :: atomic {
        flushes < FLUSHES ->
        flushes++; history++;
        server[master].user = 0; server[master].session = 0; server[master].last = 0; server[master].added = 0;
        server[master].count = 0;
        i = 0;
        do
        :: i < ENTRIES -> server[master].id[i] = 0; server[master].kind[i] = 0; i++
        :: else -> break
        od;
        i = 0;
        withdrawalExcused = withdrawn;
        isForked = hasPosition;
        excuse_lost();
        printf("redis: empty\n")
        }
    :: atomic {
        trims < TRIMS && server[master].count > 0 ->
        trims++;
        if
        :: server[master].kind[0] == WITHDRAWS && (!hasPosition || server[master].id[0] > position) ->
            withdrawalExcused = withdrawn
        :: else
        fi;
        i = 0;
        do
        :: i + 1 < ENTRIES ->
            server[master].id[i] = server[master].id[i + 1]; server[master].kind[i] = server[master].kind[i + 1]; i++
        :: else -> break
        od;
        server[master].id[i] = 0; server[master].kind[i] = 0;
        i = 0;
        server[master].count--;
        printf("redis: trimmed\n")
        }
    :: atomic { aged != acked -> aged = acked; printf("time: the staleness bound passes\n") }
    od
}

/* ---- Invariants ---- */

#ifdef NO_AGE_CHECK
#define isCurrent isLoaded
#else
#define isCurrent (isLoaded && (aged & ~confirmed) == 0)
#endif
#ifdef NO_EXCUSES
#define owed aged
#else
#define owed (aged & ~excused)
#endif
#define enforces ((((owed) & LEVEL1) == 0 || user >= 1) && (((owed) & LEVEL2) == 0 || user >= 2) \
    && (((owed) & SESSION) == 0 || session))

active proctype Monitor() {
end:
    if
    :: atomic { isCurrent && !enforces -> printf("VIOLATED: R1\n"); assert(false) }
    :: atomic {
        isCurrent && withdrawn && !withdrawalExcused && confirmedW && user > 0 ->
        printf("VIOLATED: R2\n"); assert(false)
        }
    fi
}

init {
    atomic {
        server[0].identity = 1;
        run Writer(); run Writer(); run Gateway(); run Environment()
    }
}
