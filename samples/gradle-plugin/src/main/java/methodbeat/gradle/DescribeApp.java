package methodbeat.gradle;

import org.gradle.api.DefaultTask;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

import java.io.IOException;
import java.nio.file.Files;

/** Plain Java: the class by which files of monitors and traces know what was built. */
@CacheableTask
public abstract class DescribeApp extends DefaultTask {
    private static final long START = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    /** Pairs of the setting app. */
    @Input
    public abstract MapProperty<String, String> getApp();

    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getMethodMap();

    @OutputDirectory
    public abstract DirectoryProperty getFolder();

    @TaskAction
    void describe() throws IOException {
        long hash = START; // as a trace has it: FNV-1a
        for (byte value : Files.readAllBytes(getMethodMap().get().getAsFile().toPath())) {
            hash = (hash ^ (value & 0xff)) * PRIME;
        }
        MappingClass.write(getFolder().get().getAsFile(), String.format("%016x", hash),
                MappingClass.pairs(getApp().get()));
    }
}
