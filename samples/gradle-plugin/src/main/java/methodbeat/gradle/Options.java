package methodbeat.gradle;

import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

/**
 * What is said to {@code methodbeat instrument}, of a build or of one task. Of files, only what is in them
 * counts: not where they are, nor their names.
 */
public interface Options {
    /** The command; the one on PATH if not set. Its version counts, not its bytes. */
    @Internal
    RegularFileProperty getExecutable();

    /** What not to trace. */
    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    ConfigurableFileCollection getBlacklist();

    /** A methodMapping.txt whose ids are kept. */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    RegularFileProperty getBaseMap();

    /** Where exits are recorded: catch, finally, returns or matrix. */
    @Optional
    @Input
    Property<String> getExceptions();

    /** Which methods are traced: default or matrix. */
    @Optional
    @Input
    Property<String> getRules();

    /** Further arguments, which name no files. */
    @Input
    ListProperty<String> getArguments();
}
