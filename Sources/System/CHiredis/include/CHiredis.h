#ifndef GATEHOUSE_CHIREDIS_H
#define GATEHOUSE_CHIREDIS_H

// The codec of hiredis, without its sockets: formats commands and parses replies. One interface covers hiredis 0.14 and
// 1.x, and does not include their headers. Replies share reused memory, and a declared length allocates nothing.

#include <stddef.h>
#include <stdint.h>

enum chiredis_kind {
    CHIREDIS_NULL = 0,
    CHIREDIS_INTEGER = 1,
    CHIREDIS_STATUS = 2,
    CHIREDIS_ERROR = 3,
    CHIREDIS_STRING = 4,
    CHIREDIS_ARRAY = 5,
};

/// One value of a reply. The values are in wire order: an array precedes its elements.
typedef struct chiredis_node {
    /// The value of an integer, or the offset of a string, status or error in the reply's bytes.
    int64_t value;
    /// The length of a string, status or error, or the number of elements of an array.
    uint32_t count;
    /// The index of the value after this value and its elements.
    uint32_t next;
    /// One of chiredis_kind.
    uint32_t kind;
} chiredis_node;

/// The limits of one reply. Each is checked before memory is allocated.
typedef struct chiredis_limits {
    /// The maximum number of elements of one array.
    uint32_t elements;
    /// The maximum number of values of a reply, both arrays and their elements.
    uint32_t nodes;
    /// The maximum nesting depth of arrays. hiredis 0.14 supports at most 7.
    uint32_t depth;
    /// The maximum length of one string in bytes.
    uint32_t string;
    /// The maximum total length of the strings of a reply in bytes.
    uint64_t bytes;
} chiredis_limits;

enum chiredis_outcome {
    /// The bytes do not contain another complete reply.
    CHIREDIS_INCOMPLETE = 0,
    /// A reply is available until the next call.
    CHIREDIS_REPLY = 1,
    // The following outcomes are final.
    CHIREDIS_NOT_RESP = -1,
    CHIREDIS_TOO_MANY_ELEMENTS = -2,
    CHIREDIS_TOO_MANY_NODES = -3,
    CHIREDIS_TOO_DEEP = -4,
    CHIREDIS_STRING_TOO_LONG = -5,
    CHIREDIS_REPLY_TOO_LONG = -6,
    CHIREDIS_LINE_TOO_LONG = -7,
    /// A type of RESP3, which was not negotiated.
    CHIREDIS_RESP3 = -8,
    CHIREDIS_OUT_OF_MEMORY = -9,
};

typedef struct chiredis_reader chiredis_reader;

/// Creates a reader. Returns NULL if the allocation fails.
chiredis_reader *chiredis_reader_create(chiredis_limits limits);
void chiredis_reader_free(chiredis_reader *reader);

/// Sets the input of the reader. The bytes must stay valid until chiredis_reader_next returns a value other than
/// CHIREDIS_REPLY.
void chiredis_reader_give(chiredis_reader *reader, const void *bytes, size_t count);
/// Parses the next reply, and invalidates the previous one. Returns a chiredis_outcome.
int chiredis_reader_next(chiredis_reader *reader);
/// Returns the values of the reply. The first is the reply itself.
const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader);
/// Returns the bytes of the reply's strings.
const uint8_t *chiredis_reader_bytes(const chiredis_reader *reader);

/// Returns the error that represents an absent element of a reply. The second function returns its text.
const chiredis_node *chiredis_absent_node(void);
const uint8_t *chiredis_absent_bytes(void);

/// Formats a command of `count` arguments, which are consecutive in `bytes`. Returns its length and stores the command,
/// which chiredis_free_command frees. Returns a negative value if the allocation fails or the command is too long.
int64_t chiredis_format(char **command, int count, const char *bytes, const size_t *lengths);
void chiredis_free_command(char *command);

/// Returns the version of hiredis at compile time: 1401 for 0.14.1, 10200 for 1.2.0.
int chiredis_version(void);

#endif
