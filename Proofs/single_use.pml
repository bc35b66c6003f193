/*
 * Single use: nonces, credentials (proofs), pending tokens and events of providers, on two gateways that share a store.
 *
 * README.md states the invariants. Each process may stop forever at any step, which stands for a crash.
 */
#ifndef FAILOVERS
#define FAILOVERS 0     /* failovers to a replica that lacks the last writes */
#endif

bit nonce = 1;              /* an issued nonce with the purpose "link" */
bit seen = 0;               /* the mark of the credential with this nonce */
bit pendingSeen = 0;        /* the mark of a pending token */
bit eventSeen = 0;          /* the mark of an event */
bit eventApplied = 0;
bit replicaNonce = 1, replicaSeen = 0, replicaPendingSeen = 0;
byte failovers = 0;

/* Ghosts */
byte uses = 0;              /* accepted uses of the credential with its nonce */
byte bareUses = 0;          /* accepted uses of the credential, whatever its nonce */
byte pendingUses = 0;
bit misused = 0;            /* whether a nonce was accepted for another purpose */
bit isEventSure = 0;        /* whether the sender of the event received success */

/* ProofRedeemer.use: the nonce, then the credential. */
proctype Redeem(bit isLink) {
    bit found;
    /* Nonces.take: GETDEL */
#ifdef GET_THEN_DELETE
    atomic { found = nonce; printf("gateway %d: reads the nonce: %d\n", _pid, found) }
    nonce = 0;
#else
    atomic { found = nonce; nonce = 0; printf("gateway %d: takes the nonce: %d\n", _pid, found) }
#endif
    if
    :: !found -> goto end
    :: found
    fi;
    if
#ifndef ANY_PURPOSE
    :: !isLink -> printf("gateway %d: other purpose\n", _pid); goto end
    :: isLink
#else
    :: true
#endif
    fi;
    atomic { uses++; if :: !isLink -> misused = 1 :: else fi; printf("gateway %d: accepts the nonce\n", _pid) }
end:
    skip
}

/* The use of a credential without a nonce, or with another one: the mark alone decides. */
proctype Mark() {
    bit won;
    /* markSeen: SET NX */
#ifdef READ_THEN_SET
    atomic { won = !seen; printf("gateway %d: credential is new: %d\n", _pid, won) }
    seen = 1;
#else
#ifdef SET_ALWAYS
    atomic { won = 1; seen = 1; printf("gateway %d: marks the credential\n", _pid) }
#else
    atomic { won = !seen; seen = 1; printf("gateway %d: credential is new: %d\n", _pid, won) }
#endif
#endif
    if
    :: won -> atomic { bareUses++; printf("gateway %d: accepts the credential\n", _pid) }
    :: !won
    fi
}

/* AccountParts.use(PendingToken) */
proctype Pending() {
    bit won;
#ifdef PENDING_READ_THEN_SET
    atomic { won = !pendingSeen; printf("gateway %d: pending token is new: %d\n", _pid, won) }
    pendingSeen = 1;
#else
    atomic { won = !pendingSeen; pendingSeen = 1; printf("gateway %d: pending token is new: %d\n", _pid, won) }
#endif
    if
    :: won -> atomic { pendingUses++; printf("gateway %d: accepts the pending token\n", _pid) }
    :: !won
    fi
}

/* AccountEvents.apply: the effect, then the mark. */
proctype Event() {
    bit isKnown;
    atomic { isKnown = eventSeen; printf("gateway %d: event is known: %d\n", _pid, isKnown) }
    if
    :: isKnown
    :: !isKnown ->
#ifdef MARK_FIRST
        atomic { eventSeen = 1; printf("gateway %d: marks the event\n", _pid) }
        atomic { eventApplied = 1; printf("gateway %d: applies the event\n", _pid) }
#else
        atomic { eventApplied = 1; printf("gateway %d: applies the event\n", _pid) }
        atomic { eventSeen = 1; printf("gateway %d: marks the event\n", _pid) }
#endif
    fi;
    atomic { isEventSure = 1; printf("gateway %d: reports success\n", _pid) }
}

proctype Redis() {
end:
    do
    :: atomic {
        failovers < FAILOVERS ->
        replicaNonce = nonce; replicaSeen = seen; replicaPendingSeen = pendingSeen;
        printf("redis: the replica has everything\n")
        }
    :: atomic {
        failovers < FAILOVERS ->
        failovers++;
        nonce = replicaNonce; seen = replicaSeen; pendingSeen = replicaPendingSeen;
        printf("redis: failover\n")
        }
    od
}

active proctype Monitor() {
end:
    if
    :: atomic { uses > 1 -> printf("VIOLATED: U1\n"); assert(false) }
    :: atomic { bareUses > 1 -> printf("VIOLATED: U2\n"); assert(false) }
    :: atomic { pendingUses > 1 -> printf("VIOLATED: U3\n"); assert(false) }
    :: atomic { isEventSure && !eventApplied -> printf("VIOLATED: U4\n"); assert(false) }
    :: atomic { misused -> printf("VIOLATED: U5\n"); assert(false) }
    fi
}

init {
    atomic {
        run Redeem(1); run Redeem(1); run Redeem(0);
        run Mark(); run Mark(); run Pending(); run Pending(); run Event(); run Event(); run Redis()
    }
}
