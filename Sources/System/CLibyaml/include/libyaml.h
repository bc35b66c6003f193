// The events of libyaml, which Yams builds and does not offer to Swift.
#pragma once
#include <yaml.h>
