package methodbeat.gradle;

import org.gradle.api.artifacts.transform.InputArtifact;
import org.gradle.api.artifacts.transform.TransformAction;
import org.gradle.api.artifacts.transform.TransformOutputs;
import org.gradle.api.artifacts.transform.TransformParameters;
import org.gradle.api.file.FileSystemLocation;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/** A copy of a program that a repository had, where only content counts, that can be started. */
public abstract class MakeExecutable implements TransformAction<TransformParameters.None> {
    @InputArtifact
    @PathSensitive(PathSensitivity.NONE)
    public abstract Provider<FileSystemLocation> getProgram();

    @Override
    public void transform(TransformOutputs outputs) {
        File program = getProgram().get().getAsFile();
        File copy = outputs.file(program.getName());
        try {
            Files.copy(program.toPath(), copy.toPath());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        if (!copy.setExecutable(true, false)) {
            throw new UncheckedIOException(new IOException("cannot be made executable: " + copy));
        }
    }
}
