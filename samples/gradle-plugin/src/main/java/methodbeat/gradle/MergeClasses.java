package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.file.Directory;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All classes of an Android variant into one jar, which is what AGP asks for. */
@CacheableTask
public abstract class MergeClasses extends InstrumentTask {
    /** In what --json tells, where no text of others can have its quotes. */
    private static final Pattern HASH = Pattern.compile("\"mapping_hash\":\"([0-9a-f]{16})\"");

    @Classpath
    public abstract ListProperty<RegularFile> getJars();

    @Classpath
    public abstract ListProperty<Directory> getFolders();

    /** What the app's files say of whom they come from, besides what Android knows. */
    @Input
    public abstract MapProperty<String, String> getApp();

    /** Whether what probes call is among the classes; it gets none itself. */
    @Input
    public abstract Property<Boolean> getWithRuntime();

    @OutputFile
    public abstract RegularFileProperty getOutput();

    @TaskAction
    void merge() throws IOException {
        File counts = new File(getTemporaryDir(), "counts.json");
        List<File> inputs = new ArrayList<>();
        getFolders().get().forEach(folder -> inputs.add(folder.getAsFile()));
        getJars().get().forEach(jar -> inputs.add(jar.getAsFile()));
        List<String> outputs = new ArrayList<>();
        outputs.add("--output-jar=" + getOutput().get());
        outputs.add("--json=" + counts);
        if (getWithRuntime().get()) {
            File own = new File(getTemporaryDir(), "runtime.txt");
            Files.write(own.toPath(), Collections.singletonList("-keeppackage methodbeat/"));
            outputs.add("--blacklist=" + own);
        }
        instrument(outputs, inputs);
        MappingClass.put(getOutput().get().getAsFile(), hashIn(counts), MappingClass.pairs(getApp().get()));
    }

    private static String hashIn(File counts) throws IOException {
        Matcher found = HASH.matcher(new String(Files.readAllBytes(counts.toPath()), StandardCharsets.UTF_8));
        if (!found.find()) {
            throw new GradleException("methodbeat: the command tells no hash of its method map: it is too old");
        }
        return found.group(1);
    }
}
