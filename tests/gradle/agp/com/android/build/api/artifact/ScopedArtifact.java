package com.android.build.api.artifact;

public abstract class ScopedArtifact implements Artifact {
    private ScopedArtifact() {
    }

    public static final class CLASSES extends ScopedArtifact implements Artifact.Transformable {
        public static final CLASSES INSTANCE = new CLASSES();

        private CLASSES() {
        }
    }
}
