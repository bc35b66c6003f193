#ifndef GATEHOUSE_CHIREDIS_H
#define GATEHOUSE_CHIREDIS_H

// hiredis as a codec alone: it formats commands and reads replies, and no socket is touched. One interface over hiredis 0.14 and 1.x,
// whose headers stay out of this one. Replies are read into memory that is kept, and nothing is reserved on a server's word.

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

/// One value of a reply. The values of a reply stand in the order in which they came: an array before its elements.
typedef struct chiredis_node {
    /// An integer's value; where a string, status or error begins in the reply's bytes.
    int64_t value;
    /// The length of a string, status or error; the number of an array's elements.
    uint32_t count;
    /// The index of what follows this value with all its elements.
    uint32_t next;
    /// One of chiredis_kind.
    uint32_t kind;
} chiredis_node;

/// What one reply may cost. Each is checked before anything is reserved.
typedef struct chiredis_limits {
    /// The elements of one array.
    uint32_t elements;
    /// The values of a reply, arrays and their elements alike.
    uint32_t nodes;
    /// Arrays within arrays; hiredis 0.14 reads no more than 7.
    uint32_t depth;
    /// The bytes of one string.
    uint32_t string;
    /// The bytes of all strings of a reply.
    uint64_t bytes;
} chiredis_limits;

enum chiredis_outcome {
    /// The bytes do not hold another whole reply.
    CHIREDIS_INCOMPLETE = 0,
    /// A reply stands ready, until the next call.
    CHIREDIS_REPLY = 1,
    // What follows is final: the reader reads no more.
    CHIREDIS_NOT_RESP = -1,
    CHIREDIS_TOO_MANY_ELEMENTS = -2,
    CHIREDIS_TOO_MANY_NODES = -3,
    CHIREDIS_TOO_DEEP = -4,
    CHIREDIS_STRING_TOO_LONG = -5,
    CHIREDIS_REPLY_TOO_LONG = -6,
    CHIREDIS_LINE_TOO_LONG = -7,
    /// A type of RESP3, which nobody asked the server to speak.
    CHIREDIS_RESP3 = -8,
    CHIREDIS_OUT_OF_MEMORY = -9,
};

typedef struct chiredis_reader chiredis_reader;

/// NULL when there is no memory.
chiredis_reader *chiredis_reader_create(chiredis_limits limits);
void chiredis_reader_free(chiredis_reader *reader);

/// Gives the reader bytes that stay where they are until chiredis_reader_next has answered anything but CHIREDIS_REPLY.
void chiredis_reader_give(chiredis_reader *reader, const void *bytes, size_t count);
/// Reads the next reply. What the last one left is gone.
int chiredis_reader_next(chiredis_reader *reader);
/// The values of the reply; the first is the reply itself.
const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader);
/// The bytes of the reply's strings.
const uint8_t *chiredis_reader_bytes(const chiredis_reader *reader);

/// An error that stands for an element which a reply does not have, and its text.
const chiredis_node *chiredis_absent_node(void);
const uint8_t *chiredis_absent_bytes(void);

/// Formats a command of `count` arguments that lie one after the other in `bytes`. Returns its length and the command, which is freed by
/// chiredis_free_command; negative when there is no memory or the command is too long.
int64_t chiredis_format(char **command, int count, const char *bytes, const size_t *lengths);
void chiredis_free_command(char *command);

/// The version of hiredis that this was compiled with, such as 1401 for 0.14.1 and 10200 for 1.2.0.
int chiredis_version(void);

#endif
