/* A StringEnumeration over a UEnumeration, as far as libcore uses it; ICU hides its own. C++. */

#ifndef ART_COMPAT_USTRENUM_H
#define ART_COMPAT_USTRENUM_H

#include "unicode/strenum.h"
#include "unicode/uenum.h"
#include "unicode/unistr.h"

U_NAMESPACE_BEGIN

class UStringEnumeration : public StringEnumeration
{
  public:
    explicit UStringEnumeration(UEnumeration *names) : names(names)
    {
    }

    ~UStringEnumeration() override
    {
        uenum_close(names);
    }

    int32_t count(UErrorCode &status) const override
    {
        return uenum_count(names, &status);
    }

    const UnicodeString *snext(UErrorCode &status) override
    {
        int32_t size = 0;
        const UChar *name = uenum_unext(names, &size, &status);
        if (name == nullptr || U_FAILURE(status)) {
            return nullptr;
        }
        unistr.setTo(name, size);
        return &unistr;
    }

    void reset(UErrorCode &status) override
    {
        uenum_reset(names, &status);
    }

    UClassID getDynamicClassID() const override
    {
        return nullptr;
    }

  private:
    UEnumeration *names;
};

U_NAMESPACE_END

#endif
