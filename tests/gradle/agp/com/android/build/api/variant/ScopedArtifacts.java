package com.android.build.api.variant;

import org.gradle.api.Task;
import org.gradle.api.tasks.TaskProvider;

public interface ScopedArtifacts {
    enum Scope { PROJECT, ALL }

    <T extends Task> ScopedArtifactsOperation<T> use(TaskProvider<T> task);
}
