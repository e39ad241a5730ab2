package com.android.build.api.variant;

public interface ComponentIdentity {
    String getName();

    String getBuildType();

    String getFlavorName();
}
