package methodbeat.gradle;

import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.OutputFile;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A run of {@code methodbeat instrument} over all that has to know of each other. */
public abstract class InstrumentTask extends CommandTask implements Options {
    /** Which id is which method. */
    @OutputFile
    public abstract RegularFileProperty getMethodMap();

    /** What has no probes. */
    @OutputFile
    public abstract RegularFileProperty getIgnoreMap();

    /** Types that get no probes, but that those which do may extend. */
    @Classpath
    public abstract ConfigurableFileCollection getClasspath();

    /** Begin with what the build script says. */
    void take(Options options) {
        take((Choice) options);
        getBaseMap().convention(options.getBaseMap());
    }

    /** Run it on the inputs. */
    void instrument(List<String> outputs, Collection<File> inputs) {
        List<String> lines = new ArrayList<>(outputs);
        lines.add("--quiet");
        lines.add("--method-map=" + getMethodMap().get());
        lines.add("--ignore-map=" + getIgnoreMap().get());
        getClasspath().filter(File::exists).forEach(file -> lines.add("--classpath=" + file));
        if (getBaseMap().isPresent()) {
            lines.add("--base-method-map=" + getBaseMap().get());
        }
        lines.addAll(options());
        lines.add("--");
        inputs.forEach(input -> lines.add(input.getPath()));
        run("instrument", lines);
    }
}
