package methodbeat.gradle;

import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.JavaExec;
import org.gradle.api.tasks.TaskProvider;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * Plain Java: the task 'instrument' puts probes into the project's jar and the jars that it runs with, and the task
 * 'run', if there is one, runs those; or those of 'instrumentEach', which has a task for each.
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

    void apply(Own own) {
        TaskProvider<InstrumentJars> instrument =
                project.getTasks().register("instrument", InstrumentJars.class, this::configure);
        EachPart each = new EachPart(project, settings);
        TaskProvider<DescribeApp> describe = project.getTasks().register("describeApp", DescribeApp.class, task -> {
            task.setDescription("Says what was built, for files of monitors and traces.");
            task.getApp().convention(settings.getApp().zip(project.provider(this::pairs), (app, given) ->
                    app.isEmpty() ? given : app));
            task.getMethodMap().convention(settings.getEach().flatMap(isEach -> isEach
                    ? project.getTasks().named("instrumentEach", JoinMaps.class).flatMap(JoinMaps::getMethodMap)
                    : instrument.flatMap(InstrumentJars::getMethodMap)));
            task.getFolder().convention(project.getLayout().getBuildDirectory()
                    .map(folder -> folder.dir("intermediates/methodbeat/app")));
        });
        each.setClasspath(withProbes(false));
        project.afterEvaluate(evaluated -> {
            if (settings.getEach().get()) {
                each.addOwn();
                if (settings.getScope().get().equals("all")) {
                    each.addLibraries(runtime);
                }
            }
        });
        project.getPluginManager().withPlugin("application", plugin -> {
            Action<JavaExec> recording = Own.isPublished() ? recording(own) : run -> { };
            Callable<Object> parts = () -> settings.getEach().get()
                    ? project.files(each.outputs(), withProbes(false), runtime, describe)
                    : project.files(classPath(instrument), describe);
            project.getTasks().named("run", JavaExec.class, run -> {
                if (settings.getEnabled().get()) {
                    recording.execute(run);
                    run.setClasspath(project.files(parts));
                }
            });
        });
    }

    /** With a recorder of our own, what it recorded is told of after each run. */
    private Action<JavaExec> recording(Own own) {
        Provider<Directory> folder = project.getLayout().getBuildDirectory().map(build -> build.dir("outputs/methodbeat"));
        Provider<RegularFile> methodMap = folder.map(to -> to.file("methodMapping.txt"));
        Provider<RegularFile> trace = folder.map(to -> to.file("run.mbtrace"));
        TaskProvider<ShowReport> report = project.getTasks().register("methodbeatReport", ShowReport.class, task -> {
            task.setDescription("Tells where the time of the last run went.");
            task.getExecutable().convention(settings.getExecutable());
            task.getPublished().from(settings.getPublished());
            task.getMethodMap().convention(methodMap);
            task.getTrace().convention(trace);
            task.onlyIf(new Recording.IsThere(trace));
        });
        return run -> {
            if (!settings.getRuntime().isPresent()) {
                run.doFirst(new Recording(own.recorder(), methodMap, trace));
                run.finalizedBy(report);
            }
        };
    }

    private Map<String, String> pairs() {
        Map<String, String> pairs = new TreeMap<>();
        String group = project.getGroup().toString();
        String version = project.getVersion().toString();
        pairs.put("id", group.isEmpty() ? project.getName() : group + '.' + project.getName());
        pairs.put("version", version.equals(Project.DEFAULT_VERSION) ? "" : version);
        return pairs;
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
