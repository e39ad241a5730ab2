package methodbeat.gradle;

import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Provider;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.OutputFile;
import org.gradle.process.ExecOperations;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import javax.inject.Inject;

/** A run of {@code methodbeat instrument}. Its outputs depend on its inputs alone, not on where they are. */
public abstract class InstrumentTask extends DefaultTask implements Options {
    /** The command's, as it says itself. */
    @Input
    public Provider<String> getVersion() {
        return getExecutable().flatMap(command -> getProviders().exec(asked ->
                asked.commandLine(command.getAsFile(), "--version")).getStandardOutput().getAsText());
    }

    @Inject
    protected abstract ProviderFactory getProviders();

    /** Which id is which method. */
    @OutputFile
    public abstract RegularFileProperty getMethodMap();

    /** What has no probes. */
    @OutputFile
    public abstract RegularFileProperty getIgnoreMap();

    /** Types that get no probes, but that those which do may extend. */
    @Classpath
    public abstract ConfigurableFileCollection getClasspath();

    @Inject
    protected abstract ExecOperations getProcesses();

    /** Begin with what the build script says. */
    void take(Options options) {
        getExecutable().convention(options.getExecutable());
        getBlacklist().from(options.getBlacklist());
        getBaseMap().convention(options.getBaseMap());
        getExceptions().convention(options.getExceptions());
        getRules().convention(options.getRules());
        getArguments().convention(options.getArguments());
    }

    /** Run it on the inputs; its warnings are the build's, and so is its failure. */
    void instrument(List<String> outputs, Collection<File> inputs) {
        List<String> lines = new ArrayList<>(outputs);
        lines.add("--quiet");
        lines.add("--method-map=" + getMethodMap().get());
        lines.add("--ignore-map=" + getIgnoreMap().get());
        getBlacklist().forEach(file -> lines.add("--blacklist=" + file));
        getClasspath().filter(File::exists).forEach(file -> lines.add("--classpath=" + file));
        if (getBaseMap().isPresent()) {
            lines.add("--base-method-map=" + getBaseMap().get());
        }
        if (getExceptions().isPresent()) {
            lines.add("--exceptions=" + getExceptions().get());
        }
        if (getRules().isPresent()) {
            lines.add("--rules=" + getRules().get());
        }
        lines.addAll(getArguments().get());
        lines.add("--");
        inputs.forEach(input -> lines.add(input.getPath()));
        run(lines);
    }

    /** There is no limit to how long a file of arguments is. */
    private void run(List<String> lines) {
        File arguments = new File(getTemporaryDir(), "arguments.txt");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try {
            Files.write(arguments.toPath(), lines);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        int status = getProcesses().exec(process -> {
            process.commandLine(getExecutable().get().getAsFile(), "instrument", "@" + arguments);
            process.setStandardOutput(told);
            process.setErrorOutput(told);
            process.setIgnoreExitValue(true);
        }).getExitValue();
        String text = new String(told.toByteArray(), StandardCharsets.UTF_8).trim();
        if (status != 0) {
            throw new GradleException("methodbeat failed: " + text);
        }
        if (!text.isEmpty()) {
            getLogger().warn(text);
        }
    }
}
