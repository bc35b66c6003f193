#ifndef GATEHOUSE_CBUILDINFO_H
#define GATEHOUSE_CBUILDINFO_H

/// Returns the commit that the program was built from, or an empty string. Swift has no definitions with values.
const char *_Nonnull build_info_commit(void);

#endif
