package com.android.build.api.variant;

public interface VariantSelector {
    VariantSelector all();
}
