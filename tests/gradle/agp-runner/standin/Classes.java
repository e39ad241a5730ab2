package standin;

import com.android.build.api.artifact.Artifact;
import com.android.build.api.artifact.ScopedArtifact;
import com.android.build.api.variant.ScopedArtifacts;
import com.android.build.api.variant.ScopedArtifactsOperation;

import kotlin.jvm.functions.Function1;

import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.ListProperty;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.compile.JavaCompile;

import java.util.stream.Collectors;

/** The classes of a variant, which a task may stand behind. AGP, too, says where that task writes to. */
final class Classes implements ScopedArtifacts {
    private final Project project;
    private final String variant;
    private final TaskProvider<JavaCompile> compile;
    private final Configuration libraries;
    private Provider<RegularFile> transformed;

    Classes(Project project, String variant, TaskProvider<JavaCompile> compile, Configuration libraries) {
        this.project = project;
        this.variant = variant;
        this.compile = compile;
        this.libraries = libraries;
    }

    FileCollection contents() {
        return transformed == null ? project.files(compile) : project.zipTree(transformed);
    }

    @Override
    public <T extends Task> ScopedArtifactsOperation<T> use(TaskProvider<T> task) {
        return new Operation<>(task);
    }

    private final class Operation<T extends Task> implements ScopedArtifactsOperation<T> {
        private final TaskProvider<T> task;

        Operation(TaskProvider<T> task) {
            this.task = task;
        }

        @Override
        public <A extends ScopedArtifact & Artifact.Transformable> void toTransform(A type,
                Function1<? super T, ? extends ListProperty<RegularFile>> jars,
                Function1<? super T, ? extends ListProperty<Directory>> folders,
                Function1<? super T, ? extends RegularFileProperty> into) {
            Directory home = project.getLayout().getProjectDirectory();
            task.configure(configured -> {
                jars.invoke(configured).set(libraries.getElements().map(files -> files.stream()
                        .map(file -> home.file(file.getAsFile().getPath())).collect(Collectors.toList())));
                folders.invoke(configured).add(compile.flatMap(JavaCompile::getDestinationDirectory));
                into.invoke(configured).set(project.getLayout().getBuildDirectory()
                        .file("intermediates/classes/" + variant + "/classes.jar"));
            });
            transformed = task.flatMap(into::invoke);
        }
    }
}
