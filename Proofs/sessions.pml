/*
 * Sessions and links of one identity of a provider, two accounts, and calls on any number of gateways.
 *
 * README.md states the invariants. Each command to Redis is one step. A call may stop forever at any step, which stands
 * for a crash of its gateway. Times are small numbers; the clock of a gateway may be ahead.
 */
#ifndef SIGNINS
#define SIGNINS 1
#endif
#ifndef UNLINKS
#define UNLINKS 1       /* calls that unlink the identity from account 1 */
#endif
#ifndef LINKS
#define LINKS 0         /* calls that link the identity to account 1 */
#endif
#ifndef OTHERS
#define OTHERS 0        /* calls that link the identity to account 2 */
#endif
#ifndef REVOCATIONS
#define REVOCATIONS 0   /* sign-outs everywhere of account 1 */
#endif
#ifndef DELETIONS
#define DELETIONS 0     /* events that delete the identity at its provider */
#endif
#define LATEST 2        /* the last value of the clock */
#define ROUNDS 3

typedef Record {
    byte validSince;        /* sessions that began then or earlier are revoked */
    byte credentials;       /* credentials that were made earlier are revoked */
    byte lastSession;
    bit disabled
};
typedef Account { bit listed; bit unlinking; bit unlinked };

Record identity;            /* the record of the identity */
Record user;                /* the record of account 1 */
byte owner = 0;             /* the key of the link */
Account account[3];         /* accounts 1 and 2 */
byte now = 1;

/* Ghosts. Sessions of account 1 that the identity began, one for each sign-in. */
bit issued[SIGNINS + 1];    /* whether the client received the cookie */
byte start[SIGNINS + 1];
bit isDoomed[SIGNINS + 1];  /* whether an acknowledged change must have ended the session */
bit hasBegun[SIGNINS + 1];
byte made[SIGNINS + 1];
bit linked[3];              /* acknowledged links that no unlink has begun to remove */
byte removing = 0;          /* unlink calls that are in progress */
bit unlinkAcked = 0;        /* an unlink was acknowledged, and no link was in progress or began since */
byte linking = 0;           /* calls that link the identity to account 1 and are in progress */
byte k = 0;

#define isValid(s) (issued[s] && start[s] > identity.validSince && start[s] > user.validSince && !identity.disabled)

/* RedisScript.revoke. `all`: also the time for credentials, which never decreases. */
inline revoke(record, time, all) {
    if
#ifndef NO_LAST_SESSION
    :: record.lastSession > time && record.lastSession > record.validSince ->
        record.validSince = record.lastSession;
#ifdef LOWERS_TIME
        if :: all -> record.credentials = 0 :: else fi
#endif
    :: !(record.lastSession > time && record.lastSession > record.validSince) && time > record.validSince ->
#else
    :: time > record.validSince ->
#endif
        record.validSince = time
    :: else
    fi;
    if :: all && time > record.credentials -> record.credentials = time :: else fi
}

/* RedisScript.beginSession, and the comparison with the credential: SessionStarter.begin */
inline begin_session(record, time, credential, started, isDenied) {
    started = time;
    if :: record.validSince >= started -> started = record.validSince + 1 :: else fi;
    if :: started > record.lastSession -> record.lastSession = started :: else fi;
    if
#ifndef NO_CREDENTIAL_CHECK
    :: credential < record.credentials -> isDenied = 1
#endif
    :: record.disabled -> isDenied = 1
    :: else
    fi
}

/* RedisAccountSteps.endSessions */
inline end_sessions(time) {
    atomic { revoke(identity, time, 0); printf("unlink %d: ends the sessions of the identity\n", _pid) }
}

/* RedisAccountSteps.take: SET NX GET */
inline take(x, before) {
#ifdef NO_NX
    atomic { before = owner; printf("call %d: owner is %d\n", _pid, before) }
    if :: before == 0 -> owner = x :: else fi
#else
    atomic { before = owner; if :: owner == 0 -> owner = x :: else fi; printf("call %d: owner was %d\n", _pid, before) }
#endif
}

/* RedisScript.list; `again`: the link was listed before and is restored */
#define ENDING 1
#define LISTED 2
#define NEW 3
#define UNLINKED 4
inline list(x, again, found) {
    atomic {
        if
        :: account[x].unlinking -> found = ENDING
        :: !account[x].unlinking && account[x].listed -> found = LISTED
        :: !account[x].unlinking && !account[x].listed && again && account[x].unlinked -> found = UNLINKED
        :: else -> account[x].listed = 1; account[x].unlinked = 0; found = NEW
        fi;
        printf("call %d: lists the link of account %d: %d\n", _pid, x, found)
    }
}

/* RedisScript.deleteIfEqual */
inline delete_key(x) {
    atomic {
#ifdef DELETES_ANY
        owner = 0;
#else
#ifdef ONE_SCRIPT
        if :: owner == x && !account[x].listed -> owner = 0 :: else fi;
#else
        if :: owner == x -> owner = 0 :: else fi;
#endif
#endif
        printf("call %d: deletes the key of account %d\n", _pid, x)
    }
}

/* RedisAccountSteps.drop */
inline drop(x, scratch) {
    atomic { account[x].listed = 0; printf("call %d: drops the link of account %d\n", _pid, x) }
    if
    :: atomic { owner == x -> skip }; list(x, 1, scratch)
    :: atomic { owner != x -> skip }
    fi
}

/* RedisAccountSteps.finish and restore */
inline finish(x, time, before, found) {
#ifndef NO_FIRST_END
    end_sessions(time);
#endif
    delete_key(x);
#ifndef NO_SECOND_END
    end_sessions(time);
#endif
    atomic {
        account[x].unlinking = 0;
        found = account[x].listed;
        printf("unlink %d: completes the removal; listed again: %d\n", _pid, found)
    }
#ifdef NO_RESTORE
    found = 0;
#endif
    if
    :: found ->
        take(x, before);
        if
        :: before != 0 && before != x -> drop(x, found)
        :: else ->
            list(x, 1, found);
            if :: found == NEW || found == LISTED :: else -> delete_key(x) fi
        fi
    :: else
    fi;
    found = 0; before = 0
}

/* The time of a gateway's clock. */
inline read_clock(time) {
    if :: time = now :: time = now + 1 fi
}

/* SignInCall with a credential that is made at its beginning: SessionStarter.start */
proctype SignIn(byte s) {
    byte time = 0, first = 0, second = 0, rounds = 0;
    bit isDenied = 0, isOwner = 0;
    atomic { made[s] = now; printf("sign-in %d: credential made at %d\n", _pid, now) }
    atomic { owner == 1 -> read_clock(time); printf("sign-in %d: finds account 1\n", _pid) }
#ifdef OWNER_CHECK_FIRST
    isOwner = 1;
#endif
    do
    :: rounds == ROUNDS -> goto end
    :: rounds < ROUNDS ->
        rounds++;
#ifdef ONE_RECORD
        first = time;
#else
        atomic {
            begin_session(identity, time, made[s], first, isDenied);
            printf("sign-in %d: begins at %d in the identity; denied %d\n", _pid, first, isDenied)
        }
        if :: isDenied -> goto end :: else fi;
#endif
        atomic {
            begin_session(user, first, made[s], second, isDenied);
            if :: !isDenied && second == first -> hasBegun[s] = 1 :: else fi;
            printf("sign-in %d: begins at %d in the account; denied %d\n", _pid, second, isDenied)
        }
        if :: isDenied -> goto end :: else fi;
        time = second;
#ifdef NO_SAME_START
        break
#else
        if :: first == second -> break :: else fi
#endif
    od;
#if !defined(NO_OWNER_CHECK) && !defined(OWNER_CHECK_FIRST)
    atomic { isOwner = owner == 1; printf("sign-in %d: is owner: %d\n", _pid, isOwner) }
    if :: !isOwner -> goto end :: else fi;
#endif
    atomic {
        issued[s] = 1;
#ifdef FIRST_START
        start[s] = first;
#else
        start[s] = time;
#endif
        printf("sign-in %d: cookie that starts at %d\n", _pid, start[s])
    }
end:
    atomic { time = 0; first = 0; second = 0; rounds = 0; isDenied = 0; isOwner = 0 }
}

/* UnlinkCall: release */
proctype Unlink() {
    byte time = 0, before = 0, found = 0;
    atomic {
        if
        :: account[1].unlinking -> found = ENDING
        :: !account[1].unlinking && account[1].listed ->
            account[1].listed = 0; account[1].unlinking = 1; account[1].unlinked = 1; found = ENDING
        :: else
        fi;
        if :: found == ENDING -> removing++; linked[1] = 0 :: else fi;
        read_clock(time);
        printf("unlink %d: begins: %d\n", _pid, found)
    }
    if
    :: found == ENDING ->
        found = 0;
        finish(1, time, before, found);
        atomic {
            removing--;
            unlinkAcked = !account[1].listed && linking == 0;
            printf("unlink %d: acknowledged\n", _pid)
        }
    :: else
    fi
}

/* LinkCall and the creation of an account: hold */
proctype Link(byte x) {
    byte time = 0, before = 0, found = 0, rounds = 0;
    bit isHeld = 0;
    read_clock(time);
    atomic { if :: x == 1 -> unlinkAcked = 0; linking++ :: else fi }
    do
    :: rounds == ROUNDS -> break
    :: rounds < ROUNDS ->
        rounds++;
        take(x, before);
        if :: before != 0 && before != x -> break :: else fi;
        list(x, 0, found);
        if
        :: found == NEW || found == LISTED ->
            atomic {
#ifdef NO_HELD_CHECK
                isHeld = 1;
#else
                isHeld = owner == x;
#endif
                /* An unlink that is in progress may take effect after the link. */
                if
                :: isHeld -> linked[x] = (x == 2 || (account[x].listed && removing == 0))
                :: else
                fi;
                printf("call %d: account %d has the link: %d\n", _pid, x, isHeld)
            }
            if
            :: isHeld -> break
            :: else -> drop(x, found)
            fi
        :: found == ENDING ->
            finish(x, time, before, found)
        :: else -> break
        fi
    od;
    atomic { if :: x == 1 -> linking-- :: else fi }
}

/* SignOutCall everywhere, of the admin API or of the account */
proctype RevokeUser() {
    byte time = 0;
#ifdef LATE_REVOCATIONS
    atomic { read_clock(time); printf("sign-out %d: begins at %d\n", _pid, time) }
#endif
    atomic {
#ifndef LATE_REVOCATIONS
        read_clock(time);
#endif
        revoke(user, time, 1);
        k = 0;
        do
        :: k < SIGNINS -> if :: hasBegun[k] || made[k] < time && made[k] > 0 -> isDoomed[k] = 1 :: else fi; k++
        :: else -> break
        od;
        k = 0;
        printf("sign-out %d: revokes account 1 at %d\n", _pid, time)
    }
}

/* EventEffect.make of a deletion */
proctype DeleteIdentity() {
    atomic { revoke(identity, now, 1); printf("event %d: revokes the identity\n", _pid) }
    atomic { identity.disabled = 1; printf("event %d: disables the identity\n", _pid) }
    atomic {
        k = 0;
        do
        :: k < SIGNINS -> isDoomed[k] = 1; k++
        :: else -> break
        od;
        k = 0;
        printf("event %d: acknowledged\n", _pid)
    }
}

proctype Clock() {
end:
    do
    :: atomic { now < LATEST -> now++; printf("time: %d\n", now) }
    od
}

#define someValid(a) (issued[a] && isValid(a))

active proctype Monitor() {
    byte s = 0;
end:
    if
    /* After an acknowledged unlink, no session of the identity is valid. */
    :: atomic { unlinkAcked && owner != 1 && (isValid(0) || (SIGNINS > 1 && isValid(SIGNINS - 1))) ->
        printf("VIOLATED: A1\n"); assert(false) }
    /* Nor after a revocation that includes it. */
    :: atomic { (isDoomed[0] && isValid(0)) || (SIGNINS > 1 && isDoomed[SIGNINS - 1] && isValid(SIGNINS - 1)) ->
        printf("VIOLATED: A2\n"); assert(false) }
    /* One account has the identity. */
    :: atomic { linked[1] && linked[2] -> printf("VIOLATED: A3\n"); assert(false) }
    /* An acknowledged link is kept. */
    :: atomic { (linked[1] && removing == 0 && owner != 1) || (linked[2] && owner != 2) ->
        printf("VIOLATED: A4\n"); assert(false) }
    fi
}

init {
    atomic {
#ifndef STARTS_FREE
        owner = 1; account[1].listed = 1; linked[1] = 1;
#endif
        k = 0;
        do :: k < SIGNINS -> run SignIn(k); k++ :: else -> break od;
        k = 0;
        do :: k < UNLINKS -> run Unlink(); k++ :: else -> break od;
        k = 0;
        do :: k < LINKS -> run Link(1); k++ :: else -> break od;
        k = 0;
        do :: k < OTHERS -> run Link(2); k++ :: else -> break od;
        k = 0;
        do :: k < REVOCATIONS -> run RevokeUser(); k++ :: else -> break od;
        k = 0;
        do :: k < DELETIONS -> run DeleteIdentity(); k++ :: else -> break od;
        k = 0;
        run Clock()
    }
}
