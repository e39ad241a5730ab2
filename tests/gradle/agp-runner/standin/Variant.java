package standin;

import com.android.build.api.artifact.Artifacts;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.ScopedArtifacts;

final class Variant implements ApplicationVariant {
    private final String name;
    private final ScopedArtifacts classes;

    Variant(String name, ScopedArtifacts classes) {
        this.name = name;
        this.classes = classes;
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
}
