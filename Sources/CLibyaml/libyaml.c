#include "libyaml.h"
