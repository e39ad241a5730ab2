package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.component.ComponentIdentifier;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.artifacts.result.ResolvedArtifactResult;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.jvm.tasks.Jar;

import java.io.File;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * Plain Java in three steps, so that a build cache keeps the result of each: what others have to know of a jar is
 * collected from each, all are numbered at once, each is rewritten with its own slice of the ids.
 */
final class EachPart {
    private final Project project;
    private final MethodBeatExtension settings;
    private final Provider<Directory> work;
    private final Map<String, TaskProvider<RewritePart>> rewrites = new LinkedHashMap<>();
    private final TaskProvider<NumberMethods> number;

    /** Registers what does not depend on what the class path is. */
    EachPart(Project project, MethodBeatExtension settings) {
        this.project = project;
        this.settings = settings;
        Provider<Directory> build = project.getLayout().getBuildDirectory();
        work = build.map(folder -> folder.dir("intermediates/methodbeat"));
        number = project.getTasks().register("numberMethods", NumberMethods.class, task -> {
            task.setDescription("Gives ids to the methods of all that gets probes.");
            task.take(settings);
            task.getSlices().convention(work.map(folder -> folder.dir("slices")));
            task.getIds().convention(work.map(folder -> folder.file("all.ids")));
        });
        project.getTasks().register("instrumentEach", JoinMaps.class, task -> {
            task.setGroup("build");
            task.setDescription("Puts probes into the jar and the jars that it runs with, each by itself.");
            task.getFolders().from(folders());
            task.getMethodMap().convention(build.map(to -> to.file("outputs/methodbeat/methodMapping.txt")));
            task.getIgnoreMap().convention(build.map(to -> to.file("outputs/methodbeat/ignoreMethodMapping.txt")));
        });
    }

    /** What is not rewritten, if there is anything. */
    void setClasspath(FileCollection others) {
        number.configure(task -> task.getClasspath().from(others));
    }

    private Callable<Object> folders() {
        return () -> rewrites.values().stream().map(task -> task.flatMap(RewritePart::getFolder))
                .collect(Collectors.toList());
    }

    /** What comes out, in the order of the class path. */
    Callable<Object> outputs() {
        return () -> rewrites.entrySet().stream()
                .map(part -> project.files(work.get().file("rewritten/" + part.getKey() + '/' + part.getKey()))
                        .builtBy(part.getValue()))
                .collect(Collectors.toList());
    }

    /** The project's own jar comes first. */
    void addOwn() {
        TaskProvider<Jar> jar = project.getTasks().named(JavaPlugin.JAR_TASK_NAME, Jar.class);
        add(jar.get().getArchiveFileName().get(), project.files(jar), null);
    }

    /** What modules with the plug-in 'io.github.methodbeat.names' have collected is taken from them. */
    void addLibraries(FileCollection without) {
        Configuration libraries =
                project.getConfigurations().getByName(JavaPlugin.RUNTIME_CLASSPATH_CONFIGURATION_NAME);
        Map<ComponentIdentifier, ResolvedArtifactResult> collected = new HashMap<>();
        for (ResolvedArtifactResult names : NamesPlugin.collected(project, libraries)) {
            collected.put(names.getId().getComponentIdentifier(), names);
        }
        for (ResolvedArtifactResult jar : libraries.getIncoming().getArtifacts()) {
            ComponentIdentifier owner = jar.getId().getComponentIdentifier();
            File file = jar.getFile();
            if (!without.contains(file)) {
                ResolvedArtifactResult names = collected.get(owner);
                boolean isCollected = names != null && names.getFile().getName().equals(namesOf(file.getName()));
                add(file.getName(), built(file, artifactsOf(libraries, owner)),
                        isCollected ? built(names.getFile(), NamesPlugin.collected(project, libraries)) : null);
            }
        }
    }

    private static ArtifactCollection artifactsOf(Configuration libraries, ComponentIdentifier owner) {
        boolean isProject = owner instanceof ProjectComponentIdentifier;
        return libraries.getIncoming().artifactView(view -> view.componentFilter(other ->
                isProject ? other.equals(owner) : !(other instanceof ProjectComponentIdentifier))).getArtifacts();
    }

    private FileCollection built(File file, ArtifactCollection by) {
        return project.files(file).builtBy(by.getArtifactFiles());
    }

    static String namesOf(String part) {
        return part + ".names";
    }

    /** names: null if they are yet to be collected. */
    private void add(String part, FileCollection jar, FileCollection names) {
        if (rewrites.containsKey(part)) {
            throw new GradleException("two parts of the class path are named " + part);
        }
        Object source = names != null ? names : collect(part, jar);
        number.configure(task -> task.getNames().from(source));
        Provider<RegularFile> slice =
                number.flatMap(task -> task.getSlices().map(folder -> folder.file(namesOf(part))));
        rewrites.put(part, project.getTasks().register("rewrite-" + part, RewritePart.class, task -> {
            task.take(settings);
            task.getPart().from(jar);
            task.getSlice().convention(slice);
            task.getFolder().convention(work.map(folder -> folder.dir("rewritten/" + part)));
        }));
    }

    private Provider<RegularFile> collect(String part, FileCollection jar) {
        return project.getTasks().register("collect-" + part, CollectNames.class, task -> {
            task.take(settings);
            task.getPart().from(jar);
            task.getNames().convention(work.map(folder -> folder.file("names/" + namesOf(part))));
        }).flatMap(CollectNames::getNames);
    }
}
