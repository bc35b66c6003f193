// The event API of libyaml, which Yams builds but does not expose to Swift.
#pragma once
#include <yaml.h>
