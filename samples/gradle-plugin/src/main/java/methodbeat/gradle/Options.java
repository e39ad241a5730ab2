package methodbeat.gradle;

import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

/** What is said to {@code methodbeat instrument}, of a build or of one task. */
public interface Options extends Choice {
    /** A methodMapping.txt whose ids are kept. */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    RegularFileProperty getBaseMap();
}
