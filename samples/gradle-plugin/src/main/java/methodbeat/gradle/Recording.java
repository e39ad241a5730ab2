package methodbeat.gradle;

import org.gradle.api.Action;
import org.gradle.api.Task;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.provider.Provider;
import org.gradle.api.specs.Spec;
import org.gradle.api.tasks.JavaExec;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** Before a program with probes runs: tells it of the recorder and of the trace, unless the build script did. */
final class Recording implements Action<Task> {
    private final FileCollection recorder;
    private final Provider<RegularFile> methodMap;
    private final Provider<RegularFile> trace;

    Recording(FileCollection recorder, Provider<RegularFile> methodMap, Provider<RegularFile> trace) {
        this.recorder = recorder;
        this.methodMap = methodMap;
        this.trace = trace;
    }

    @Override
    public void execute(Task task) {
        JavaExec program = (JavaExec) task;
        File file = trace.get().getAsFile();
        try {
            Files.createDirectories(file.getParentFile().toPath());
            Files.deleteIfExists(file.toPath());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        if (recorder.isEmpty() && !isSaid(program, "methodbeat.library")) {
            task.getLogger().warn("methodbeat: nothing is recorded: there is no recorder for " + Own.classifier()
                    + ". Run the program on Linux, of x86-64 or arm64; or name a recorder that you have built by "
                    + "systemProperty 'methodbeat.library', or set 'enabled = false'.");
        }
        if (!recorder.isEmpty()) {
            say(program, "methodbeat.library", recorder.getSingleFile());
            say(program, "methodbeat.mapping", methodMap.get().getAsFile());
            say(program, "methodbeat.file", file);
        }
    }

    /** Something was recorded, and where it was expected. */
    static final class IsThere implements Spec<Task> {
        private final Provider<RegularFile> trace;

        IsThere(Provider<RegularFile> trace) {
            this.trace = trace;
        }

        @Override
        public boolean isSatisfiedBy(Task task) {
            return trace.get().getAsFile().exists();
        }
    }

    private static boolean isSaid(JavaExec program, String name) {
        return program.getAllJvmArgs().stream().anyMatch(argument -> argument.startsWith("-D" + name + "="));
    }

    private static void say(JavaExec program, String name, File value) {
        if (!isSaid(program, name)) {
            program.systemProperty(name, value.getPath());
        }
    }
}
