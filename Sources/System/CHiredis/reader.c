#include "CHiredis.h"

#include <stdlib.h>
#include <string.h>

#include <hiredis/hiredis.h>

/// The bytes fed to hiredis at once. It moves its unread bytes after each larger reply, so a small slice is cheaper.
#define SLICE ((size_t)16 * 1024)
/// The limit of a status or error line. hiredis searches an incomplete line from its beginning on each feed.
#define LONGEST_LINE ((size_t)64 * 1024)
/// The limit of a length prefix and of an integer: a sign, at most 19 digits and the line end fit.
#define LONGEST_NUMBER ((size_t)32)
/// Larger buffers are freed after the reply.
#define KEPT_BYTES ((size_t)256 * 1024)
#define KEPT_NODES ((size_t)8 * 1024)
#define KEPT_INPUT ((size_t)128 * 1024)

struct chiredis_reader {
    redisReader *hiredis;
    chiredis_limits limits;
    /// The bytes that are not fed to hiredis yet.
    const char *input;
    size_t input_count;
    /// The number of readable bytes before `input`: the last slice fed to hiredis.
    size_t recent;
    chiredis_node *nodes;
    size_t node_count, node_capacity;
    uint8_t *bytes;
    size_t byte_count, byte_capacity;
    /// The number of values of the reply, as declared by its array headers so far.
    uint64_t announced;
    /// The first byte of the incomplete value, which determines its type.
    char type;
    /// CHIREDIS_REPLY while a reply is available. A negative outcome is final.
    int outcome;
};

// MARK: - Memory

static int fail(chiredis_reader *reader, int outcome) {
    reader->outcome = outcome;
    return outcome;
}

/// Reserves memory for `more` items after `count`. Returns 0 if the allocation fails.
static int reserve(void **items, size_t size, size_t *capacity, size_t count, size_t more) {
    if (*capacity - count >= more) return 1;
    size_t wanted = *capacity < 32 ? 64 : *capacity * 2;
    if (wanted - count < more) wanted = count + more;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL) return 0;
    *items = grown;
    *capacity = wanted;
    return 1;
}

/// Discards the reply, and frees the memory of an unusually large one.
static void forget(chiredis_reader *reader) {
    if (reader->node_capacity > KEPT_NODES) {
        free(reader->nodes);
        reader->nodes = NULL;
        reader->node_capacity = 0;
    }
    if (reader->byte_capacity > KEPT_BYTES) {
        free(reader->bytes);
        reader->bytes = NULL;
        reader->byte_capacity = 0;
    }
    reader->node_count = 0;
    reader->byte_count = 0;
    reader->announced = 1;
    reader->outcome = CHIREDIS_INCOMPLETE;
}

// MARK: - hiredis callbacks
//
// hiredis receives an object as its index plus one, since a reallocation moves the nodes.

static chiredis_reader *reader_of(const redisReadTask *task) { return task->privdata; }

static void *append(const redisReadTask *task, chiredis_node node) {
    chiredis_reader *reader = reader_of(task);
    if (reader->node_count >= reader->limits.nodes) {
        fail(reader, CHIREDIS_TOO_MANY_NODES);
        return NULL;
    }
    if (!reserve((void **)&reader->nodes, sizeof(chiredis_node), &reader->node_capacity, reader->node_count, 1)) {
        fail(reader, CHIREDIS_OUT_OF_MEMORY);
        return NULL;
    }
    size_t index = reader->node_count++;
    node.next = (uint32_t)reader->node_count;
    reader->nodes[index] = node;
    for (const redisReadTask *parent = task->parent; parent != NULL; parent = parent->parent) {
        reader->nodes[(uintptr_t)parent->obj - 1].next = node.next;
    }
    return (void *)(uintptr_t)(index + 1);
}

static int kind_of_text(int type) {
    switch (type) {
    case REDIS_REPLY_STRING: return CHIREDIS_STRING;
    case REDIS_REPLY_STATUS: return CHIREDIS_STATUS;
    case REDIS_REPLY_ERROR: return CHIREDIS_ERROR;
    default: return -1;
    }
}

/// Whether a string ends after its declared length, and a line contains no CR or LF. Not every version of hiredis
/// checks this. After a violation, the following bytes could be parsed as the reply to another command.
static int is_well_formed(int kind, const char *text, size_t count) {
    if (kind == CHIREDIS_STRING) return text[count] == '\r' && text[count + 1] == '\n';
    return memchr(text, '\r', count) == NULL && memchr(text, '\n', count) == NULL;
}

static void *create_string(const redisReadTask *task, char *text, size_t count) {
    chiredis_reader *reader = reader_of(task);
    int kind = kind_of_text(task->type);
    int defect = 0;
    if (kind < 0) {
        defect = CHIREDIS_RESP3;
    } else if (!is_well_formed(kind, text, count)) {
        defect = CHIREDIS_NOT_RESP;
    } else if (count > reader->limits.string) {
        defect = CHIREDIS_STRING_TOO_LONG;
    } else if (count > reader->limits.bytes - reader->byte_count) {
        defect = CHIREDIS_REPLY_TOO_LONG;
    } else if (!reserve((void **)&reader->bytes, 1, &reader->byte_capacity, reader->byte_count, count)) {
        defect = CHIREDIS_OUT_OF_MEMORY;
    }
    if (defect != 0) {
        fail(reader, defect);
        return NULL;
    }
    chiredis_node node = {.value = (int64_t)reader->byte_count, .count = (uint32_t)count, .kind = (uint32_t)kind};
    if (count > 0) memcpy(reader->bytes + reader->byte_count, text, count);
    reader->byte_count += count;
    return append(task, node);
}

static void *create_array(const redisReadTask *task, uint64_t elements) {
    chiredis_reader *reader = reader_of(task);
    uint32_t depth = 1;
    for (const redisReadTask *parent = task->parent; parent != NULL; parent = parent->parent) depth++;
    int defect = 0;
    if (task->type != REDIS_REPLY_ARRAY) {
        defect = CHIREDIS_RESP3;
    } else if (elements > reader->limits.elements) {
        defect = CHIREDIS_TOO_MANY_ELEMENTS;
    } else if (reader->announced + elements > reader->limits.nodes) {
        defect = CHIREDIS_TOO_MANY_NODES;
    } else if (depth > reader->limits.depth) {
        defect = CHIREDIS_TOO_DEEP;
    }
    if (defect != 0) {
        fail(reader, defect);
        return NULL;
    }
    reader->announced += elements;
    return append(task, (chiredis_node){.count = (uint32_t)elements, .kind = CHIREDIS_ARRAY});
}

static void *create_integer(const redisReadTask *task, long long value) {
    return append(task, (chiredis_node){.value = value, .kind = CHIREDIS_INTEGER});
}

static void *create_nil(const redisReadTask *task) {
    // RESP3 has a null type and more nullable types.
    if (task->type != REDIS_REPLY_STRING && task->type != REDIS_REPLY_ARRAY) {
        fail(reader_of(task), CHIREDIS_RESP3);
        return NULL;
    }
    return append(task, (chiredis_node){.kind = CHIREDIS_NULL});
}

static void free_object(void *object) { (void)object; }

// MARK: - hiredis versions

#if HIREDIS_MAJOR >= 1
static void *create_sized_array(const redisReadTask *task, size_t elements) { return create_array(task, elements); }

static void *create_double(const redisReadTask *task, double value, char *text, size_t count) {
    (void)value, (void)text, (void)count;
    fail(reader_of(task), CHIREDIS_RESP3);
    return NULL;
}

static void *create_bool(const redisReadTask *task, int value) {
    (void)value;
    fail(reader_of(task), CHIREDIS_RESP3);
    return NULL;
}
#else
static void *create_sized_array(const redisReadTask *task, int elements) {
    return create_array(task, elements < 0 ? UINT64_MAX / 2 : (uint64_t)elements);
}
#endif

static redisReplyObjectFunctions functions = {
    .createString = create_string,
    .createArray = create_sized_array,
    .createInteger = create_integer,
    .createNil = create_nil,
#if HIREDIS_MAJOR >= 1
    .createDouble = create_double,
    .createBool = create_bool,
#endif
    .freeObject = free_object,
};

// MARK: - Incomplete values

/// Returns the declared length of a string: -1 if the line is incomplete, -2 if it is not a number.
static int64_t announced_length(const char *line, size_t count) {
    int64_t length = 0;
    for (size_t index = 0; index < count; index++) {
        if (line[index] == '\r') return length;
        if (index == 0 && line[index] == '-') continue;
        if (line[index] < '0' || line[index] > '9' || index + 1 >= LONGEST_NUMBER) return -2;
        // A larger value exceeds every limit, so it is not computed.
        if (length < INT64_MAX / 100) length = length * 10 + (line[index] - '0');
    }
    return -1;
}

static int check_incomplete_string(const chiredis_reader *reader, const char *rest, size_t count) {
    int64_t length = announced_length(rest, count);
    if (length == -1) return 0;
    if (length == -2) return CHIREDIS_NOT_RESP;
    if (length > reader->limits.string) return CHIREDIS_STRING_TOO_LONG;
    if ((uint64_t)length > reader->limits.bytes - reader->byte_count) return CHIREDIS_REPLY_TOO_LONG;
    // With this many bytes the string would be complete if its line end were valid.
    return count < (size_t)length + LONGEST_NUMBER ? 0 : CHIREDIS_NOT_RESP;
}

/// Checks an incomplete value of which `count` bytes follow the type byte. Returns 0 if it can still become valid.
static int check_incomplete(const chiredis_reader *reader, const char *rest, size_t count) {
    switch (reader->type) {
    case '$':
        return check_incomplete_string(reader, rest, count);
    case '*':
    case ':':
        return count < LONGEST_NUMBER ? 0 : CHIREDIS_NOT_RESP;
    case '+':
    case '-':
        return count <= LONGEST_LINE && count <= (size_t)reader->limits.string + 2 ? 0 : CHIREDIS_LINE_TOO_LONG;
    default:
        // hiredis 1.x also parses RESP3.
        return CHIREDIS_RESP3;
    }
}

/// Checks the bytes that hiredis left unread. The type of an incomplete value is the byte before them, unless
/// an earlier slice contained it.
static int check_rest(chiredis_reader *reader) {
    size_t rest = reader->hiredis->len - reader->hiredis->pos;
    if (rest < reader->recent) reader->type = reader->input[-(ptrdiff_t)rest - 1];
    if (rest == 0) return 0;
    return check_incomplete(reader, reader->hiredis->buf + reader->hiredis->pos, rest);
}

static int feed(chiredis_reader *reader) {
    size_t count = reader->input_count < SLICE ? reader->input_count : SLICE;
    if (redisReaderFeed(reader->hiredis, reader->input, count) != REDIS_OK) return CHIREDIS_OUT_OF_MEMORY;
    reader->input += count;
    reader->input_count -= count;
    reader->recent = count;
    return 0;
}

// MARK: - Interface

chiredis_reader *chiredis_reader_create(chiredis_limits limits) {
    chiredis_reader *reader = calloc(1, sizeof(chiredis_reader));
    if (reader == NULL) return NULL;
    reader->hiredis = redisReaderCreateWithFunctions(&functions);
    if (reader->hiredis == NULL) {
        free(reader);
        return NULL;
    }
    reader->hiredis->maxbuf = KEPT_INPUT;
    reader->hiredis->privdata = reader;
    reader->limits = limits;
    reader->announced = 1;
    return reader;
}

void chiredis_reader_free(chiredis_reader *reader) {
    if (reader == NULL) return;
    redisReaderFree(reader->hiredis);
    free(reader->nodes);
    free(reader->bytes);
    free(reader);
}

void chiredis_reader_give(chiredis_reader *reader, const void *bytes, size_t count) {
    reader->input = bytes;
    reader->input_count = count;
    reader->recent = 0;
}

int chiredis_reader_next(chiredis_reader *reader) {
    if (reader->outcome < 0) return reader->outcome;
    if (reader->outcome == CHIREDIS_REPLY) forget(reader);
    while (1) {
        void *reply = NULL;
        if (redisReaderGetReply(reader->hiredis, &reply) != REDIS_OK) {
            return reader->outcome < 0 ? reader->outcome : fail(reader, CHIREDIS_NOT_RESP);
        }
        if (reply != NULL) return reader->outcome = CHIREDIS_REPLY;
        int defect = check_rest(reader);
        if (defect == 0 && reader->input_count == 0) return CHIREDIS_INCOMPLETE;
        if (defect == 0) defect = feed(reader);
        if (defect != 0) return fail(reader, defect);
    }
}

const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader) { return reader->nodes; }

const uint8_t *chiredis_reader_bytes(const chiredis_reader *reader) { return reader->bytes; }

// MARK: - Absent elements

static const char absent_text[] = "ABSENT the reply has no such element";

static const chiredis_node absent = {.count = sizeof(absent_text) - 1, .next = 1, .kind = CHIREDIS_ERROR};

const chiredis_node *chiredis_absent_node(void) { return &absent; }

const uint8_t *chiredis_absent_bytes(void) { return (const uint8_t *)absent_text; }

int chiredis_version(void) { return HIREDIS_MAJOR * 10000 + HIREDIS_MINOR * 100 + HIREDIS_PATCH; }
