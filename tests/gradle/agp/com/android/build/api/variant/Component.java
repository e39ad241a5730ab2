package com.android.build.api.variant;

import com.android.build.api.artifact.Artifacts;

import org.gradle.api.file.FileCollection;

public interface Component extends ComponentIdentity {
    Artifacts getArtifacts();

    FileCollection getCompileClasspath();
}
