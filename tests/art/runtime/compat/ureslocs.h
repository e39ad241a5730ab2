/* Names of parts of ICU's data, which a build of ICU keeps to itself. */

#ifndef ART_COMPAT_URESLOCS_H
#define ART_COMPAT_URESLOCS_H

#include "unicode/udata.h"

#define U_ICUDATA_CURR U_ICUDATA_NAME "-curr"
#define U_ICUDATA_LANG U_ICUDATA_NAME "-lang"
#define U_ICUDATA_REGION U_ICUDATA_NAME "-region"
#define U_ICUDATA_ZONE U_ICUDATA_NAME "-zone"
#define U_ICUDATA_UNIT U_ICUDATA_NAME "-unit"

#endif
