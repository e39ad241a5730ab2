package methodbeat.gradle;

import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Provider;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.Internal;
import org.gradle.process.ExecOperations;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.inject.Inject;

/** A run of {@code methodbeat}. Its outputs depend on its inputs alone, not on where they are. */
public abstract class CommandTask extends DefaultTask {
    /** The command, if it is not the published one. Its version counts, not its bytes. */
    @Internal
    public abstract RegularFileProperty getExecutable();

    /** The command of the plug-in's own version. */
    @Internal
    public abstract ConfigurableFileCollection getPublished();

    /** The command's, as it says itself. */
    @Input
    public Provider<String> getVersion() {
        return getExecutable().flatMap(command -> getProviders().exec(asked ->
                asked.commandLine(command.getAsFile(), "--version")).getStandardOutput().getAsText())
                .orElse(getProviders().provider(Own::said));
    }

    @Inject
    protected abstract ProviderFactory getProviders();

    @Inject
    protected abstract ExecOperations getProcesses();

    /** Its warnings are the build's, and so is its failure. There is no limit to how long a file of arguments is. */
    void run(String command, List<String> lines) {
        File arguments = new File(getTemporaryDir(), "arguments.txt");
        try {
            Files.write(arguments.toPath(), lines);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        String text = ask(command, "@" + arguments);
        if (!text.isEmpty()) {
            getLogger().warn(text);
        }
    }

    /** What it says. */
    String ask(String... words) {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        int status = getProcesses().exec(process -> {
            process.executable(executable());
            process.args((Object[]) words);
            process.setStandardOutput(told);
            process.setErrorOutput(told);
            process.setIgnoreExitValue(true);
        }).getExitValue();
        String text = new String(told.toByteArray(), StandardCharsets.UTF_8).trim();
        if (status != 0) {
            throw new GradleException("methodbeat failed: " + text);
        }
        return text;
    }

    private File executable() {
        return getExecutable().isPresent() ? getExecutable().get().getAsFile() : getPublished().getSingleFile();
    }

    /** The command that is installed. */
    static Provider<RegularFile> onPath(Project project) {
        return project.getLayout().file(project.getProviders().environmentVariable("PATH").map(path ->
                Stream.of(path.split(Pattern.quote(File.pathSeparator)))
                        .flatMap(folder -> Stream.of(new File(folder, "methodbeat"), new File(folder, "methodbeat.exe")))
                        .filter(file -> file.isFile() && file.canExecute()).findFirst().orElse(null)));
    }
}
