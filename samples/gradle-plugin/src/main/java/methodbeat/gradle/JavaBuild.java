package methodbeat.gradle;

import org.gradle.api.Project;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.JavaExec;
import org.gradle.api.tasks.TaskProvider;

import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * Plain Java: the task 'instrument' puts probes into the project's jar and the jars that it runs with, and the task
 * 'run', if there is one, runs those.
 */
final class JavaBuild {
    private final Project project;
    private final MethodBeatExtension settings;
    private final FileCollection jar;
    private final FileCollection runtime;
    private final FileCollection libraries;

    JavaBuild(Project project, MethodBeatExtension settings, FileCollection runtime) {
        this.project = project;
        this.settings = settings;
        this.runtime = runtime;
        jar = project.files(project.getTasks().named(JavaPlugin.JAR_TASK_NAME));
        libraries = project.getConfigurations()
                .getByName(JavaPlugin.RUNTIME_CLASSPATH_CONFIGURATION_NAME).minus(runtime);
    }

    void apply() {
        TaskProvider<InstrumentJars> instrument =
                project.getTasks().register("instrument", InstrumentJars.class, this::configure);
        project.getPluginManager().withPlugin("application", plugin ->
                project.getTasks().named("run", JavaExec.class, run -> {
                    if (settings.getEnabled().get()) {
                        run.setClasspath(classPath(instrument));
                    }
                }));
    }

    private void configure(InstrumentJars task) {
        Provider<Directory> build = project.getLayout().getBuildDirectory();
        Provider<Directory> maps = build.map(folder -> folder.dir("outputs/methodbeat"));
        task.setGroup("build");
        task.setDescription("Puts probes into the jar and the jars that it runs with.");
        task.take(settings);
        task.getParts().from(jar, withProbes(true));
        task.getClasspath().from(withProbes(false));
        task.getIncremental().convention(false);
        task.getOutputs().doNotCacheIf("ids depend on earlier runs", any -> task.getIncremental().get());
        task.getFolder().convention(build.map(folder -> folder.dir("methodbeat")));
        task.getMethodMap().convention(maps.map(folder -> folder.file("methodMapping.txt")));
        task.getIgnoreMap().convention(maps.map(folder -> folder.file("ignoreMethodMapping.txt")));
    }

    /** The libraries if they are to be instrumented, or not to be; else none. */
    private FileCollection withProbes(boolean instrumented) {
        Callable<Object> chosen = () ->
                settings.getScope().get().equals("all") == instrumented ? libraries : project.files();
        return project.files(chosen);
    }

    /** What is instrumented in the order that it had, then what is not. */
    private FileCollection classPath(TaskProvider<InstrumentJars> instrument) {
        Callable<Object> parts = () -> {
            InstrumentJars task = instrument.get();
            return task.getParts().getElements().zip(task.getFolder(), (files, folder) -> files.stream()
                    .map(file -> folder.file(file.getAsFile().getName())).collect(Collectors.toList()));
        };
        return project.files(parts, withProbes(false), runtime);
    }
}
