package standin;

import com.android.build.api.artifact.Artifacts;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.ScopedArtifacts;

import org.gradle.api.file.FileCollection;

final class Variant implements ApplicationVariant {
    private final String name;
    private final ScopedArtifacts classes;
    private final FileCollection libraries;

    Variant(String name, ScopedArtifacts classes, FileCollection libraries) {
        this.name = name;
        this.classes = classes;
        this.libraries = libraries;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public String getBuildType() {
        return name;
    }

    @Override
    public String getFlavorName() {
        return null;
    }

    @Override
    public Artifacts getArtifacts() {
        return scope -> classes;
    }

    @Override
    public FileCollection getCompileClasspath() {
        return libraries;
    }
}
