package methodbeat.gradle;

import org.gradle.api.Project;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.Optional;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

import java.util.ArrayList;
import java.util.List;

/**
 * Which methods get which probes. Of files, only what is in them counts: not where they are, nor their names.
 */
public interface Choice {
    /** The command, if it is not that of the plug-in's own version. Its version counts, not its bytes. */
    @Internal
    RegularFileProperty getExecutable();

    /** The command of the plug-in's own version, if that is published. */
    @Internal
    ConfigurableFileCollection getPublished();

    /** What not to trace. */
    @InputFiles
    @PathSensitive(PathSensitivity.NONE)
    ConfigurableFileCollection getBlacklist();

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

    /** Begin with the command that there is. */
    default void takeCommand(Project project, Own own) {
        if (Own.isPublished()) {
            getPublished().from(own.command());
        } else {
            getExecutable().convention(CommandTask.onPath(project));
        }
    }

    /** Begin with what others say. */
    default void take(Choice other) {
        getExecutable().convention(other.getExecutable());
        getPublished().from(other.getPublished());
        getBlacklist().from(other.getBlacklist());
        getExceptions().convention(other.getExceptions());
        getRules().convention(other.getRules());
        getArguments().convention(other.getArguments());
    }

    /** For the command. */
    default List<String> options() {
        List<String> lines = new ArrayList<>();
        getBlacklist().forEach(file -> lines.add("--blacklist=" + file));
        if (getExceptions().isPresent()) {
            lines.add("--exceptions=" + getExceptions().get());
        }
        if (getRules().isPresent()) {
            lines.add("--rules=" + getRules().get());
        }
        lines.addAll(getArguments().get());
        return lines;
    }

    /**
     * Those of the arguments that have this name, or those that do not; with the value of it, be it of the same
     * argument or the next.
     */
    static List<String> named(String name, boolean wanted, List<String> arguments) {
        List<String> found = new ArrayList<>();
        boolean isValue = false;
        for (String argument : arguments) {
            boolean isNamed = isValue || argument.equals(name) || argument.startsWith(name + "=");
            isValue = !isValue && argument.equals(name);
            if (isNamed == wanted) {
                found.add(argument);
            }
        }
        return found;
    }
}
