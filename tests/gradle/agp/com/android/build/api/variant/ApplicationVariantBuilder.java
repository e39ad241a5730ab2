package com.android.build.api.variant;

public interface ApplicationVariantBuilder extends VariantBuilder {
}
