#ifndef GATEHOUSE_CLIBHIREDIS_SHIM_H
#define GATEHOUSE_CLIBHIREDIS_SHIM_H

#include <hiredis/hiredis.h>

#endif
