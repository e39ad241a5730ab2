package com.android.build.api.dsl;

public interface ApplicationExtension {
}
