package methodbeat.gradle;

import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.FileSystemOperations;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.OutputDirectory;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

import javax.inject.Inject;

/** A run of {@code methodbeat instrument --ids}: one jar, into a folder with its part of the two maps. */
@CacheableTask
public abstract class RewritePart extends CommandTask implements Choice {
    /** One jar or folder. */
    @Classpath
    public abstract ConfigurableFileCollection getPart();

    /** The output is named after the part. */
    @Input
    public String getPartName() {
        return getPart().getSingleFile().getName();
    }

    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    public abstract RegularFileProperty getSlice();

    @OutputDirectory
    public abstract DirectoryProperty getFolder();

    @Inject
    protected abstract FileSystemOperations getFiles();

    /** Of the further arguments, those that are not of the numbering. */
    @Override
    public void take(Choice options) {
        Choice.super.take(options);
        getArguments().convention(options.getArguments().map(all -> Choice.named("--activity", false, all)));
    }

    @TaskAction
    void rewrite() {
        List<String> lines = new ArrayList<>(options());
        File folder = getFolder().get().getAsFile();
        getFiles().delete(old -> old.delete((Object[]) folder.listFiles()));
        lines.add("--quiet");
        lines.add("--jobs=1"); // the build runs several of these at once
        lines.add("--ids=" + getSlice().get());
        lines.add("--output=" + folder);
        lines.add("--");
        lines.add(getPart().getSingleFile().getPath());
        run("instrument", lines);
    }
}
