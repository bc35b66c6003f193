#include "CBuildInfo.h"

#ifndef GATEHOUSE_COMMIT
#define GATEHOUSE_COMMIT ""
#endif

const char *_Nonnull build_info_commit(void) { return GATEHOUSE_COMMIT; }
