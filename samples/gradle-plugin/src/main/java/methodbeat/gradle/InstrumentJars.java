package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.FileSystemOperations;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.LocalState;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import javax.inject.Inject;

/** Each part of a class path into a folder, under its name. */
@CacheableTask
public abstract class InstrumentJars extends InstrumentTask {
    @Classpath
    public abstract ConfigurableFileCollection getParts();

    /**
     * Skip jars that have not changed since the last run. New methods then have the ids that come next, and what
     * comes out is not only a matter of what goes in: the build cache is not used.
     */
    @Input
    public abstract Property<Boolean> getIncremental();

    @OutputDirectory
    public abstract DirectoryProperty getFolder();

    @LocalState
    public File getLastRun() {
        return new File(getTemporaryDir(), "state");
    }

    @Inject
    protected abstract FileSystemOperations getFiles();

    /** Outputs are named after parts. */
    @Input
    public List<String> getNames() {
        return getParts().getFiles().stream().map(File::getName).collect(Collectors.toList());
    }

    @TaskAction
    void instrumentJars() {
        Set<String> names = new HashSet<>();
        for (String name : getNames()) {
            if (!names.add(name)) {
                throw new GradleException("two parts of the class path are named " + name);
            }
        }
        File folder = getFolder().get().getAsFile();
        List<String> outputs = new ArrayList<>();
        outputs.add("--output=" + folder);
        if (getIncremental().get()) {
            outputs.add("--state=" + getLastRun());
        }
        instrument(outputs, getParts().getFiles());
        // What an earlier run left of a part that is gone would still be on the class path.
        getFiles().delete(old -> old.delete((Object[]) folder.listFiles((in, name) -> !names.contains(name))));
    }
}
