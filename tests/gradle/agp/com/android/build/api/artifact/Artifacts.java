package com.android.build.api.artifact;

import com.android.build.api.variant.ScopedArtifacts;

public interface Artifacts {
    ScopedArtifacts forScope(ScopedArtifacts.Scope scope);
}
