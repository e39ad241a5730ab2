package com.android.build.api.artifact;

public interface Artifact {
    interface Transformable {
    }
}
