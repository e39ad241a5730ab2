package com.android.build.api.variant;

import com.android.build.api.artifact.Artifacts;

public interface Component extends ComponentIdentity {
    Artifacts getArtifacts();
}
