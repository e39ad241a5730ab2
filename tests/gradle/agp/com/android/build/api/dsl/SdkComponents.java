package com.android.build.api.dsl;

import org.gradle.api.file.RegularFile;
import org.gradle.api.provider.Provider;

import java.util.List;

public interface SdkComponents {
    Provider<List<RegularFile>> getBootClasspath();
}
