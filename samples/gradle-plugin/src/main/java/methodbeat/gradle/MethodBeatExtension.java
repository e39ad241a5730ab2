package methodbeat.gradle;

import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.SetProperty;
import org.gradle.api.tasks.Internal;

/** The block {@code methodbeat { ... }} of a build script. */
public interface MethodBeatExtension extends Options {
    /** false: no class gets a probe. */
    @Internal
    Property<Boolean> getEnabled();

    /**
     * Plain Java: run has jars that were rewritten each by itself, by tasks whose results a build cache keeps, in
     * place of those of the one task.
     */
    @Internal
    Property<Boolean> getEach();

    /** Android: names of variants, build types or flavours that get probes; none: all. */
    @Internal
    SetProperty<String> getVariants();

    /** all: the libraries too; project: this project's classes alone. */
    @Internal
    Property<String> getScope();

    /**
     * What files of monitors and traces say of whom they come from: pairs of the setting app. Without any, plain Java
     * says id and version of the project, and Android the variant as its channel.
     */
    @Internal
    MapProperty<String, String> getApp();

    /** What probes call: methodbeat-runtime.jar or, for Android, methodbeat-android.aar. */
    @Internal
    RegularFileProperty getRuntime();

    /** Android: what the variants without probes have in its place, methodbeat-noop.jar; may be missing. */
    @Internal
    RegularFileProperty getNoop();
}
