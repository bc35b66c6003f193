/*
 * The deletion of account 1, whose identity signs in, is linked and unlinked meanwhile, on any number of gateways.
 *
 * README.md states the invariants. Each command to Redis is one step. A call may stop forever at any step, which stands
 * for a crash of its gateway, or continue much later, which stands for a stalled one. Times are small numbers; the
 * clock of a gateway may be one ahead. Account 1 has a session, which began at 1, and other identities, so that the one
 * of the model can be unlinked. A sign-in that creates an account creates the account 2 + its number.
 */
#ifndef DELETES
#define DELETES 1       /* calls of the account's user that delete it */
#endif
#ifndef OPERATORS
#define OPERATORS 0     /* calls of the admin API that delete it */
#endif
#ifndef COMPLETIONS
#define COMPLETIONS 0   /* maintenances of other gateways */
#endif
#ifndef SIGNINS
#define SIGNINS 0
#endif
#ifndef UNLINKS
#define UNLINKS 0       /* calls that unlink the identity from account 1 */
#endif
#ifndef LINKS
#define LINKS 0         /* calls that link the identity to account 1 */
#endif
#ifndef REVOCATIONS
#define REVOCATIONS 0   /* sign-outs everywhere of account 1 */
#endif
#ifndef ENABLES
#define ENABLES 0       /* calls of the admin API that enable and unrevoke the user of account 1 */
#endif
#ifndef EVENTS
#define EVENTS 0        /* events that revoke the identity */
#endif
#ifndef LATEST
#define LATEST 2        /* the last value of the clock */
#endif
#define ROUNDS 3
#define ANY 255         /* the record of the user does not matter */

typedef Record {
    byte validSince;        /* sessions that began then or earlier are revoked */
    byte credentials;       /* credentials that were made earlier are revoked */
    byte lastSession
};

Record identity;            /* the record of the identity */
Record user;                /* the record of account 1 */
bit disabled = 0;           /* fields of the latter */
byte deleted = 0;
bit made = 1;               /* fields of the hash of account 1: `created` */
byte tombstone = 0;         /* `deleted` */
bit listed = 1;
bit unlinking = 0;
bit unlinked = 0;
byte owner = 1;             /* the key of the link */
byte deleting = 0;          /* the time of account 1 in gatehouse:deleting; 0 if it is absent */
byte now = 1;

/* Ghosts. */
bit acked = 0;              /* a deletion, or its completion by another gateway, was acknowledged */
byte deletedFirst = 0;      /* the time of the deletion when its data was deleted first */
bit told = 0;               /* an entry of the stream was added after the user was disabled */
bit covered = 0;            /* the deletion removed the identity, which no unlink was removing */
byte sending = 0;           /* pipelines that Redis executes in part so far */
byte removing = 0;          /* unlink calls that began and did not end */
byte linking = 0;           /* the same for link calls, also for one that crashed */
byte running = 0;           /* calls that began, did not end, and did not crash */
bit disturbed = 0;          /* a call began since the latest sign-in began */
byte eventTime = 0;         /* an acknowledged event revoked the identity's credentials of earlier than this */
bit hasStopped = 0;         /* a deletion call ended or crashed */
#if SIGNINS > 0
bit issued[SIGNINS];        /* whether the client received the cookie */
byte account[SIGNINS];      /* the account of the session */
byte start[SIGNINS];
byte credential[SIGNINS];   /* when the credential was made */
#endif
byte k = 0;

#define violates(n) printf("VIOLATED: D%d\n", n); assert(false)
#define isComplete (tombstone > 0 && !listed && !unlinking)
#define isValid(s) (issued[s] && start[s] > identity.validSince && \
    (account[s] != 1 || (start[s] > user.validSince && !disabled)))

/* With BROKEN, no deletion call stalls for so long that it is overdue. */
#ifdef BROKEN
#define isOverdue (deleting > 0 && deleting < now && hasStopped)
#else
#define isOverdue (deleting > 0 && deleting < now)
#endif

/* RedisScript.revoke */
#define BEFORE 0
#define SESSIONS 1
#define EVERYTHING 2
inline revoke(record, time, scope) {
    if
    :: scope != BEFORE && record.lastSession > time && record.lastSession > record.validSince ->
        record.validSince = record.lastSession;
#ifdef LOWERS_TIME
        if :: scope == EVERYTHING -> record.credentials = time :: else fi
#else
        if :: scope == EVERYTHING && time > record.credentials -> record.credentials = time :: else fi
#endif
    :: !(scope != BEFORE && record.lastSession > time && record.lastSession > record.validSince) ->
        if :: time > record.validSince -> record.validSince = time :: else fi;
        if :: scope != SESSIONS && time > record.credentials -> record.credentials = time :: else fi
    fi
}

/* RedisScript.beginSession, and the comparison with the credential: SessionStarter.begin */
inline begin_session(record, at, madeAt, started, denies) {
    started = at;
    if :: record.validSince >= started -> started = record.validSince + 1 :: else fi;
    if :: started > record.lastSession -> record.lastSession = started :: else fi;
    if :: madeAt < record.credentials -> denies = 1 :: else fi
}

inline begin_call(skew) {
    running++;
    disturbed = 1;
    if :: skew = 0 :: skew = 1 fi
}

/* RedisAccountSteps.endSessions of the identity. */
inline end_identity(deletedAt, skew) {
    atomic {
        if
#ifndef NO_CREDENTIAL_END
        :: deletedAt > 0 ->
#ifdef SAME_SECOND
            revoke(identity, deletedAt, BEFORE);
#else
#ifdef ENDS_LATER
            revoke(identity, deletedAt + 1, EVERYTHING);
#else
            revoke(identity, deletedAt + 1, BEFORE);
#endif
#endif
        :: deletedAt == 0 ->
#else
        :: true ->
#endif
            revoke(identity, now + skew, SESSIONS)
        fi;
        printf("call %d: ends the sessions of the identity, credentials of before %d too\n", _pid,
            identity.credentials)
    }
}

/* RedisScript.deleteIfEqual */
inline delete_key() {
    atomic {
#ifdef DELETES_ANY
        owner = 0;
#else
        if :: owner == 1 -> owner = 0 :: else fi;
#endif
        printf("call %d: deletes the key of account 1; owner: %d\n", _pid, owner)
    }
}

/* RedisScript.list; `again`: the link was listed before and is restored */
#define ENDING 1
#define LISTED 2
#define NEW 3
#define UNLINKED 4
#define DELETED 5
inline list(again, found) {
    atomic {
        if
#ifndef NO_TOMBSTONE
        :: tombstone > 0 -> found = DELETED
        :: tombstone == 0 && unlinking -> found = ENDING
        :: tombstone == 0 && !unlinking && listed -> found = LISTED
        :: tombstone == 0 && !unlinking && !listed && again && unlinked -> found = UNLINKED
#else
        :: unlinking -> found = ENDING
        :: !unlinking && listed -> found = LISTED
        :: !unlinking && !listed && again && unlinked -> found = UNLINKED
#endif
        :: else -> listed = 1; unlinked = 0; found = NEW
        fi;
        printf("call %d: lists the link of account 1: %d\n", _pid, found)
    }
}

/* RedisAccountSteps.take of account 1: SET NX GET */
inline take(before) {
    atomic { before = owner; if :: owner == 0 -> owner = 1 :: else fi; printf("call %d: owner was %d\n", _pid, before) }
}

/* RedisAccountSteps.finish and restore */
inline finish(skew, deletedAt, found) {
    atomic { deletedAt = tombstone; printf("call %d: account 1 was deleted at %d\n", _pid, deletedAt) }
#ifndef NO_FIRST_END
    end_identity(deletedAt, skew);
#endif
    delete_key();
    end_identity(deletedAt, skew);
    atomic {
#ifdef ENDS_ANY_REMOVAL
        unlinking = 0;
#else
        if :: tombstone == 0 || deletedAt > 0 -> unlinking = 0 :: else fi;
#endif
        found = listed;
        printf("call %d: completes the removal of the link; listed again: %d\n", _pid, found)
    }
    if
    :: found ->
        take(found);
        if
        :: found > 1 -> drop(skew, found)
        :: else ->
            list(1, found);
            if :: found == NEW || found == LISTED :: else -> delete_key() fi
        fi
    :: else
    fi;
    deletedAt = 0; found = 0
}

/* RedisAccountSteps.drop, whose last step stands for another call if the link is held again */
inline drop(skew, found) {
    atomic { listed = 0; printf("call %d: drops the link of account 1\n", _pid) }
    if
    :: atomic { owner == 1 -> skip }; list(1, found)
    :: atomic { owner != 1 -> skip }
    fi
}

/* RedisAccountSteps.disableUser: one pipeline */
inline disable_user(time, expected, isChanged) {
#ifdef ENTRY_FIRST
    atomic { if :: disabled -> told = 1 :: else fi; printf("call %d: adds the entry\n", _pid) }
#endif
    atomic {
        if
        :: time == 0 -> time = now + skew
        :: else
        fi;
        if
#ifndef UNEXPECTED
        :: expected != ANY && deleted == 0 && (user.validSince != expected || disabled) -> isChanged = 1
#endif
        :: else ->
            isChanged = 0;
            /* A caller whose session was revoked before the commit point has deleted the account. */
            if :: expected != ANY && deleted == 0 && user.validSince >= 1 -> violates(8) :: else fi;
            if :: time > user.validSince -> user.validSince = time :: else fi;
            if :: user.lastSession > user.validSince -> user.validSince = user.lastSession :: else fi;
            user.credentials = user.validSince;
            disabled = 1;
            if :: deleted == 0 -> deleted = time :: else fi
        fi;
        sending++;
        printf("call %d: disables the user at %d; changed: %d\n", _pid, time, isChanged)
    }
#ifdef BROKEN
    if
    :: true
    :: atomic { sending--; printf("call %d: its connection breaks\n", _pid); goto finished }
    fi;
#endif
    atomic {
#ifndef ENTRY_FIRST
        if :: disabled -> told = 1 :: else fi;
#endif
#ifndef NO_SECOND_ANNOUNCEMENT
        deleting = time;
#endif
        sending--;
        printf("call %d: adds the entry, and account 1 to the list of deletions at %d\n", _pid, deleting)
    }
}

/* RedisAccountSteps.deleteData */
inline delete_data(time, skew, deletedAt, found) {
    do
    :: true ->
        atomic {
#ifdef OVERWRITES_TIME
            tombstone = now;
#else
            if :: tombstone == 0 -> tombstone = time :: else fi;
#endif
            if :: deletedFirst == 0 -> deletedFirst = tombstone :: else fi;
            if :: listed && !unlinking -> listed = 0; unlinking = 1; covered = 1 :: else fi;
            made = 0; unlinked = 0;
            found = unlinking;
            printf("call %d: deletes the data of account 1; links: %d\n", _pid, found)
        }
        if
        :: found -> finish(skew, deletedAt, found)
        :: else -> break
        fi
    od;
    atomic { deleting = 0; printf("call %d: removes account 1 from the list of deletions\n", _pid) }
}

/* RedisStore.complete */
inline complete(time, skew, deletedAt, found) {
#ifndef NO_REDISABLE
    disable_user(time, ANY, found);
#endif
    found = 0;
    delete_data(time, skew, deletedAt, found)
}

/* DeleteCall and RedisStore.deleteAccount; `isOperator`: GatewayAdministration.deleteAccount */
proctype Delete(bit isOperator) {
    byte skew = 0, time = 0, deletedAt = 0, found = 0, expected = ANY;
    atomic { begin_call(skew); printf("deletion %d: begins\n", _pid) }
    if
    :: isOperator
    :: !isOperator ->
#ifndef READS_RECORD_LATE
        atomic { expected = user.validSince; printf("deletion %d: reads the user's record\n", _pid) }
#endif
        atomic {
            if
            :: disabled && deleted > 0 -> expected = ANY
            :: disabled && deleted == 0 || !disabled && user.validSince >= 1 -> goto finished
            :: else
            fi;
            printf("deletion %d: is authorized\n", _pid)
        }
#ifdef READS_RECORD_LATE
        atomic {
            if :: disabled :: else -> expected = user.validSince fi;
            printf("deletion %d: reads the user's record\n", _pid)
        }
#endif
    fi;
    atomic {
        time = tombstone;
        if :: !made && tombstone == 0 -> goto finished :: else fi;
        if :: tombstone > 0 -> expected = ANY :: else fi
    }
#ifndef NO_ANNOUNCEMENT
    atomic { deleting = now + skew; printf("deletion %d: adds account 1 to the list of deletions\n", _pid) }
#endif
#ifdef STALE_TIME
    atomic { if :: time == 0 -> time = now + skew :: else fi }
#endif
#ifdef DATA_FIRST
    atomic { if :: time == 0 -> time = now + skew :: else fi }
    delete_data(time, skew, deletedAt, found);
    disable_user(time, expected, found);
#else
    disable_user(time, expected, found);
    if :: found -> goto finished :: else fi;
    delete_data(time, skew, deletedAt, found);
#endif
    atomic { acked = 1; printf("deletion %d: acknowledged\n", _pid) }
finished:
    atomic { running--; hasStopped = 1; skew = 0; time = 0; deletedAt = 0; found = 0; expected = 0 }
}

/* RedisStore.completeDeletions, for one deletion */
proctype Complete() {
    byte skew = 0, time = 0, deletedAt = 0, found = 0, begun = 0;
    atomic {
        isOverdue -> begin_call(skew);
        begun = deleting;
        printf("maintenance %d: finds a deletion of %d\n", _pid, begun)
    }
    atomic {
        time = (tombstone > 0 -> tombstone : deleted);
        printf("maintenance %d: account 1 was deleted at %d\n", _pid, time)
    }
    if
    :: time > 0 ->
        complete(time, skew, deletedAt, found);
        atomic { acked = 1; printf("maintenance %d: completes the deletion\n", _pid) }
    :: else
    fi;
    /* forgetDeletion */
    atomic {
#ifdef FORGETS_ANY
        deleting = 0;
#else
        if :: deleting == begun -> deleting = 0 :: else fi;
#endif
#ifndef NO_RECHECK
        if :: time == 0 -> sending++ :: else fi;
#endif
        printf("maintenance %d: removes the deletion of %d from the list\n", _pid, begun)
    }
#ifndef NO_RECHECK
    if
    :: time == 0 && deleted == 0 -> sending--
    :: time == 0 && deleted > 0 ->
        time = deleted; complete(time, skew, deletedAt, found);
        atomic { acked = 1; sending-- }
    :: time > 0
    fi;
#endif
finished:
    atomic { running--; skew = 0; time = 0; deletedAt = 0; found = 0; begun = 0 }
}

#if SIGNINS > 0
/* SignInCall with a credential that is made at its beginning: AccountFinder and SessionStarter */
proctype SignIn(byte s) {
    byte skew = 0, time = 0, deletedAt = 0, found = 0, rounds = 0, first = 0;
    bit isDenied = 0, isLater = 0;
    atomic { credential[s] = now; printf("sign-in %d: credential made at %d\n", _pid, now) }
    atomic { begin_call(skew); disturbed = 0; isLater = acked; printf("sign-in %d: begins\n", _pid) }
    do
    :: rounds == ROUNDS -> break
    :: rounds < ROUNDS ->
        rounds++;
        /* AccountFinder.find */
        atomic { if :: credential[s] < identity.credentials -> isDenied = 1; break :: else fi }
        atomic { account[s] = owner; printf("sign-in %d: finds account %d\n", _pid, owner) }
        if
        :: account[s] == 1 ->
            /* AccountFinder.known */
            atomic {
                if
                :: disabled -> time = (tombstone > 0 -> tombstone : deleted)
                :: !disabled && credential[s] < user.credentials -> isDenied = 1; break
                :: else
                fi
            }
            if
            :: time > 0 ->
                complete(time, skew, deletedAt, found);
#ifndef KEEPS_HELD
                if
                :: atomic { owner == 1 -> skip }; finish(skew, deletedAt, found)
                :: atomic { owner != 1 -> skip }
                fi;
#endif
                time = 0;
                goto again
            :: else
            fi
        :: account[s] == 0 ->
#ifndef NO_SECOND_REQUIRE
            atomic { if :: credential[s] < identity.credentials -> isDenied = 1; break :: else fi }
#endif
            /* createAccount. Only the key decides, since no other call knows the new account. */
            atomic {
                if
                :: owner == 0 ->
                    owner = 2 + s; account[s] = owner;
                    printf("sign-in %d: creates account %d\n", _pid, owner);
                    if :: covered && credential[s] <= deletedFirst -> violates(2) :: else fi
                :: else -> goto again
                fi
            }
        :: else
        fi;
        /* SessionStarter.start */
        time = now + skew;
        do
        :: true ->
            atomic {
                begin_session(identity, time, credential[s], first, isDenied);
                printf("sign-in %d: begins at %d in the identity; denied %d\n", _pid, first, isDenied)
            }
            time = first;
            if
            :: account[s] == 1 && !isDenied ->
                atomic {
                    begin_session(user, first, credential[s], time, isDenied);
                    if :: disabled -> isDenied = 1 :: else fi;
                    printf("sign-in %d: begins at %d in the account; denied %d\n", _pid, time, isDenied)
                }
            :: else
            fi;
            if :: isDenied || time == first -> break :: else fi
        od;
        if :: isDenied -> break :: else fi;
        atomic {
            if
            :: owner == account[s] ->
                issued[s] = 1; start[s] = time;
                printf("sign-in %d: cookie of account %d that starts at %d\n", _pid, account[s], time);
                if :: isLater && account[s] == 1 -> violates(2) :: else fi;
                break
            :: else
            fi
        }
again:
        time = 0
    od;
finished:
    atomic {
        printf("sign-in %d: ends; denied %d\n", _pid, isDenied);
        /* A sign-in after the deletion, with a later credential, succeeds. */
        if
        :: isLater && credential[s] > deletedFirst && credential[s] >= eventTime && !issued[s] &&
            (isDenied || !disturbed && running == 1) -> violates(2)
        :: else
        fi;
        running--;
        skew = 0; time = 0; deletedAt = 0; found = 0; rounds = 0; first = 0; isDenied = 0; isLater = 0
    }
}
#endif

/* UnlinkCall: release */
proctype Unlink() {
    byte skew = 0, deletedAt = 0, found = 0;
    atomic {
        begin_call(skew);
        if
        :: unlinking -> found = 1
        :: !unlinking && listed -> listed = 0; unlinking = 1; unlinked = 1; found = 1
        :: else
        fi;
        if :: found -> removing++ :: else fi;
        printf("unlink %d: begins: %d\n", _pid, found)
    }
    if
    :: found -> finish(skew, deletedAt, found); removing--
    :: else
    fi;
    atomic { running--; skew = 0; deletedAt = 0; found = 0 }
}

/* LinkCall, whose caller was authorized before: hold */
proctype Link() {
    byte skew = 0, deletedAt = 0, found = 0, rounds = 0;
    atomic { begin_call(skew); linking++; printf("link %d: begins\n", _pid) }
    do
    :: rounds == ROUNDS -> break
    :: rounds < ROUNDS ->
        rounds++;
        take(found);
        if :: found > 1 -> break :: else fi;
        /* The gateway crashes with an unlisted key. */
        if :: true :: atomic { running--; printf("link %d: crashes\n", _pid); goto crashed } fi;
        list(0, found);
        if
        :: found == NEW || found == LISTED ->
            if
            :: atomic { owner == 1 -> printf("link %d: acknowledged\n", _pid) }; break
            :: atomic { owner != 1 -> skip }; drop(skew, found)
            fi
        :: found == ENDING -> finish(skew, deletedAt, found)
        :: else -> finish(skew, deletedAt, found); break
        fi
    od;
    atomic { running--; linking-- }
crashed:
    atomic { skew = 0; deletedAt = 0; found = 0; rounds = 0 }
}

/* SignOutCall everywhere, a takeover, or the admin API */
proctype RevokeUser() {
    byte skew = 0;
    atomic {
        begin_call(skew);
        revoke(user, now + skew, EVERYTHING);
        running--; skew = 0;
        printf("sign-out %d: revokes account 1\n", _pid)
    }
}

/* setDisabled and unrevoke of the admin API */
proctype Enable() {
    atomic {
        disturbed = 1;
        if
#ifndef ENABLES_DELETED
        :: deleted > 0
#endif
        :: else -> disabled = 0; user.validSince = 0; user.credentials = 0
        fi;
        printf("operator %d: enables account 1\n", _pid)
    }
}

/* EventEffect.make of a revocation */
proctype Event() {
    atomic {
        disturbed = 1;
        revoke(identity, now, BEFORE);
        eventTime = now;
        printf("event %d: revokes the identity at %d\n", _pid, now)
    }
}

proctype Clock() {
end:
    do
    :: atomic { now < LATEST -> now++; printf("time: %d\n", now) }
    od
}

#if SIGNINS > 1
#define someSession(what) (what(0) || what(1))
#else
#if SIGNINS > 0
#define someSession(what) (what(0))
#else
#define someSession(what) false
#endif
#endif
#define isOfDeleted(s) (account[s] == 1 && isValid(s))
#define isOfOldCredential(s) (account[s] > 1 && covered && credential[s] <= deletedFirst && isValid(s))
#define hasEnded(s) (issued[s] && account[s] > 1 && !isValid(s))
#define isUnlinked(s) (issued[s] && account[s] > 1 && owner != account[s])

active proctype Monitor() {
end:
    if
    /* After an acknowledged deletion, no gateway accepts a session or a credential of the account. */
    :: atomic { acked && (!disabled || !told || someSession(isOfDeleted) || someSession(isOfOldCredential) ||
        covered && owner != 1 && identity.credentials <= deletedFirst) -> violates(1) }
    /* No link of the account remains or comes back. */
    :: atomic { acked && linking == 0 && removing == 0 && (listed || unlinking || owner == 1) -> violates(3) }
    /* The list has each incomplete deletion. */
    :: atomic { deleted > 0 && !isComplete && deleting == 0 && sending == 0 -> violates(4) }
#ifdef ENDS
    /* A deletion ends no session of the next account. */
    :: atomic { someSession(hasEnded) -> violates(5) }
#endif
    /* The next account keeps its link. */
    :: atomic { someSession(isUnlinked) -> violates(6) }
    /* Data is deleted only of a disabled user. */
    :: atomic { tombstone > 0 && !disabled -> violates(7) }
    /* The revocations of other calls remain. */
    :: atomic { identity.credentials < eventTime -> violates(9) }
    fi
}

init {
    atomic {
        identity.lastSession = 1; user.lastSession = 1;
        k = 0;
        do :: k < DELETES -> run Delete(0); k++ :: else -> break od;
        k = 0;
        do :: k < OPERATORS -> run Delete(1); k++ :: else -> break od;
        k = 0;
        do :: k < COMPLETIONS -> run Complete(); k++ :: else -> break od;
#if SIGNINS > 0
        k = 0;
        do :: k < SIGNINS -> run SignIn(k); k++ :: else -> break od;
#endif
        k = 0;
        do :: k < UNLINKS -> run Unlink(); k++ :: else -> break od;
        k = 0;
        do :: k < LINKS -> run Link(); k++ :: else -> break od;
        k = 0;
        do :: k < REVOCATIONS -> run RevokeUser(); k++ :: else -> break od;
        k = 0;
        do :: k < ENABLES -> run Enable(); k++ :: else -> break od;
        k = 0;
        do :: k < EVENTS -> run Event(); k++ :: else -> break od;
        k = 0;
        run Clock()
    }
}
