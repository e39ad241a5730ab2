package methodbeat.gradle;

import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.SetProperty;
import org.gradle.api.tasks.Internal;

/** The block {@code methodbeat { ... }} of a build script. */
public interface MethodBeatExtension extends Options {
    /** false: no class gets a probe. */
    @Internal
    Property<Boolean> getEnabled();

    /** Android: names of variants, build types or flavours that get probes; none: all. */
    @Internal
    SetProperty<String> getVariants();

    /** all: the libraries too; project: this project's classes alone. */
    @Internal
    Property<String> getScope();

    /** What probes call: methodbeat-runtime.jar or, for Android, methodbeat-android.aar. */
    @Internal
    RegularFileProperty getRuntime();

    /** Android: what the variants without probes have in its place, methodbeat-noop.jar; may be missing. */
    @Internal
    RegularFileProperty getNoop();
}
