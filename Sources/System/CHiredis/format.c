#include "CHiredis.h"

#include <stdlib.h>

#include <hiredis/hiredis.h>

/// The number of arguments up to which the argument list is not allocated.
#define FEW 32

int64_t chiredis_format(char **command, int count, const char *bytes, const size_t *lengths) {
    const char *few[FEW];
    const char **arguments = few;
    *command = NULL;
    if (count > FEW) arguments = calloc((size_t)count, sizeof(const char *));
    if (arguments == NULL) return -1;
    for (int index = 0; index < count; index++) {
        arguments[index] = bytes;
        bytes += lengths[index];
    }
    // The result is an int in hiredis 0.14 and a long long in 1.x.
    int64_t length = redisFormatCommandArgv(command, count, arguments, lengths);
    if (arguments != few) free(arguments);
    return length;
}

void chiredis_free_command(char *command) { redisFreeCommand(command); }
