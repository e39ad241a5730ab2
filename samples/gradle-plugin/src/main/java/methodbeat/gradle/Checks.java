package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFileProperty;

import java.io.File;
import java.util.Set;
import java.util.TreeSet;

/** What is wrong in a build script is told before anything is built. */
final class Checks {
    private Checks() {
    }

    /** When it is known what will run: what probes need, only if some are to be put in. */
    static void whenNeeded(Project project, MethodBeatExtension settings) {
        project.getGradle().getTaskGraph().whenReady(graph -> {
            fileIsThere("noop", settings.getNoop());
            if (graph.getAllTasks().stream().anyMatch(task ->
                    task instanceof CommandTask && task.getProject() == project)) {
                needFile("runtime", "what probes call, methodbeat-runtime.jar or methodbeat-android.aar",
                        settings.getRuntime());
                needFile("executable", "the command, as none is on PATH", settings.getExecutable());
                if (!settings.getExecutable().isPresent()) {
                    isToBeHad(settings.getPublished());
                }
            }
        });
    }

    private static void needFile(String name, String what, RegularFileProperty property) {
        if (!property.isPresent() && !Own.isPublished()) {
            throw new GradleException("methodbeat: " + name + " is not set: " + what);
        }
        fileIsThere(name, property);
    }

    private static void isToBeHad(FileCollection command) {
        try {
            command.getFiles();
        } catch (RuntimeException exception) {
            Throwable cause = exception;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            // As a cause it would be shown alone, without these words.
            throw new GradleException("methodbeat: the command for " + Own.classifier() + " is not to be had from where "
                    + "this plug-in was: set 'executable' to one that is installed. " + cause.getMessage());
        }
    }

    /** If it is set. */
    private static void fileIsThere(String name, RegularFileProperty property) {
        File file = property.getAsFile().getOrNull();
        if (file != null && !file.exists()) {
            throw new GradleException("methodbeat: " + name + " is not there: " + file);
        }
    }

    static void scope(MethodBeatExtension settings) {
        String scope = settings.getScope().get();
        if (!scope.equals("all") && !scope.equals("project")) {
            throw new GradleException("methodbeat: scope '" + scope + "' is not known: 'all' or 'project'");
        }
    }

    /** known: the names of variants, build types and flavours. */
    static void variants(Set<String> wanted, Set<String> known) {
        Set<String> unknown = new TreeSet<>(wanted);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new GradleException("methodbeat: no variant, build type or flavour is named " + unknown
                    + ": there are " + new TreeSet<>(known));
        }
    }
}
