package methodbeat.gradle;

import org.gradle.api.file.Directory;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** All classes of an Android variant into one jar, which is what AGP asks for. */
@CacheableTask
public abstract class MergeClasses extends InstrumentTask {
    @Classpath
    public abstract ListProperty<RegularFile> getJars();

    @Classpath
    public abstract ListProperty<Directory> getFolders();

    /** Whether what probes call is among the classes; it gets none itself. */
    @Input
    public abstract Property<Boolean> getWithRuntime();

    @OutputFile
    public abstract RegularFileProperty getOutput();

    @TaskAction
    void merge() throws IOException {
        List<File> inputs = new ArrayList<>();
        getFolders().get().forEach(folder -> inputs.add(folder.getAsFile()));
        getJars().get().forEach(jar -> inputs.add(jar.getAsFile()));
        List<String> outputs = new ArrayList<>();
        outputs.add("--output-jar=" + getOutput().get());
        if (getWithRuntime().get()) {
            File own = new File(getTemporaryDir(), "runtime.txt");
            Files.write(own.toPath(), Collections.singletonList("-keeppackage methodbeat/"));
            outputs.add("--blacklist=" + own);
        }
        instrument(outputs, inputs);
        MappingClass.put(getOutput().get().getAsFile(), getMethodMap().get().getAsFile());
    }
}
