package com.android.build.api.variant;

import com.android.build.api.dsl.ApplicationExtension;

public interface ApplicationAndroidComponentsExtension
        extends AndroidComponentsExtension<ApplicationExtension, ApplicationVariantBuilder, ApplicationVariant> {
}
