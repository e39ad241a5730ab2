package com.android.build.api.variant;

public interface ApplicationVariant extends Variant {
}
