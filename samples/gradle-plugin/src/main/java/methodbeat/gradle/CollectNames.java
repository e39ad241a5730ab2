package methodbeat.gradle;

import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.TaskAction;

import java.util.ArrayList;
import java.util.List;

/** A run of {@code methodbeat collect}: what others have to know of one jar. */
@CacheableTask
public abstract class CollectNames extends CommandTask implements Choice {
    /** One jar or folder. */
    @Classpath
    public abstract ConfigurableFileCollection getPart();

    @OutputFile
    public abstract RegularFileProperty getNames();

    /** Of the further arguments, those that say which methods get probes. */
    @Override
    public void take(Choice options) {
        Choice.super.take(options);
        getArguments().convention(options.getArguments().map(arguments -> {
            List<String> own = new ArrayList<>(Choice.named("--beat-class", true, arguments));
            if (arguments.contains("--no-default-blacklist")) {
                own.add("--no-default-blacklist");
            }
            return own;
        }));
    }

    @TaskAction
    void collect() {
        List<String> lines = new ArrayList<>(options());
        lines.add("--output=" + getNames().get());
        lines.add("--");
        lines.add(getPart().getSingleFile().getPath());
        run("collect", lines);
    }
}
