package methodbeat.gradle;

import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.FileSystemOperations;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

import javax.inject.Inject;

/** A run of {@code methodbeat number}: of the names of all, the ids that each needs. */
@CacheableTask
public abstract class NumberMethods extends CommandTask {
    @InputFiles
    @PathSensitive(PathSensitivity.NAME_ONLY)
    public abstract ConfigurableFileCollection getNames();

    /** The methodMapping.txt of an earlier build, whose ids are kept. */
    @Optional
    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getLedger();

    /** Types that get no probes, but that those which do may extend. */
    @Classpath
    public abstract ConfigurableFileCollection getClasspath();

    /** Names of Activities. */
    @Input
    public abstract ListProperty<String> getArguments();

    /** One file for each of the names, named like it. */
    @OutputDirectory
    public abstract DirectoryProperty getSlices();

    @OutputFile
    public abstract RegularFileProperty getIds();

    @Inject
    protected abstract FileSystemOperations getFiles();

    void take(Options options) {
        getExecutable().convention(options.getExecutable());
        getPublished().from(options.getPublished());
        getLedger().convention(options.getBaseMap());
        getArguments().convention(options.getArguments()
                .map(all -> Choice.named("--activity", true, all)));
    }

    @TaskAction
    void number() {
        List<String> lines = new ArrayList<>(getArguments().get());
        getFiles().delete(old -> old.delete((Object[]) getSlices().get().getAsFile().listFiles()));
        lines.add("--output=" + getIds().get());
        lines.add("--slices=" + getSlices().get());
        getClasspath().filter(File::exists).forEach(file -> lines.add("--classpath=" + file));
        if (getLedger().isPresent()) {
            lines.add("--ledger=" + getLedger().get());
        }
        lines.add("--");
        getNames().forEach(names -> lines.add(names.getPath()));
        run("number", lines);
    }
}
