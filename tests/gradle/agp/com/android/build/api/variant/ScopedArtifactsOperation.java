package com.android.build.api.variant;

import com.android.build.api.artifact.Artifact;
import com.android.build.api.artifact.ScopedArtifact;

import kotlin.jvm.functions.Function1;

import org.gradle.api.Task;
import org.gradle.api.file.Directory;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;

public interface ScopedArtifactsOperation<T extends Task> {
    <A extends ScopedArtifact & Artifact.Transformable> void toTransform(A type,
            Function1<? super T, ? extends ListProperty<RegularFile>> jars,
            Function1<? super T, ? extends ListProperty<Directory>> folders,
            Function1<? super T, ? extends RegularFileProperty> into);
}
