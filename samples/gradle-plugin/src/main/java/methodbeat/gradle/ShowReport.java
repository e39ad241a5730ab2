package methodbeat.gradle;

import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;

/** A run of {@code methodbeat report}: where the time of the last run went. */
public abstract class ShowReport extends CommandTask {
    @Internal
    public abstract RegularFileProperty getMethodMap();

    @Internal
    public abstract RegularFileProperty getTrace();

    @TaskAction
    void show() {
        getLogger().quiet(ask("report", "--method-map=" + getMethodMap().get(), getTrace().get().toString()));
    }
}
