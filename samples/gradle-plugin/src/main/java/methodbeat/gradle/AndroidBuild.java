package methodbeat.gradle;

import com.android.build.api.artifact.ScopedArtifact;
import com.android.build.api.variant.ApplicationAndroidComponentsExtension;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.ScopedArtifacts;

import org.gradle.api.Action;
import org.gradle.api.Project;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Android: a task behind the classes of each variant that gets probes, before they are shrunk. */
final class AndroidBuild {
    private AndroidBuild() {
    }

    static void apply(Project project, MethodBeatExtension settings, Own own) {
        ApplicationAndroidComponentsExtension components =
                project.getExtensions().getByType(ApplicationAndroidComponentsExtension.class);
        Set<String> known = new HashSet<>();
        FileCollection runtime = own.unlessSet(settings.getRuntime(), "methodbeat-android", "aar");
        FileCollection noop = own.unlessSet(settings.getNoop(), "methodbeat-noop", "jar");
        Action<ApplicationVariant> action = variant -> {
            known.addAll(Arrays.asList(variant.getName(), variant.getBuildType(), variant.getFlavorName()));
            boolean hasProbes = isMeant(variant, settings);
            project.getDependencies().add(variant.getName() + "Implementation", hasProbes ? runtime : noop);
            if (hasProbes) {
                FileCollection types = project.files(variant.getCompileClasspath(),
                        components.getSdkComponents().getBootClasspath());
                transform(variant, types, project, settings);
            }
        };
        components.onVariants(components.selector().all(), action);
        project.getGradle().getTaskGraph().whenReady(graph -> {
            known.removeAll(Arrays.asList(null, ""));
            Checks.variants(settings.getVariants().get(), known);
        });
    }

    private static boolean isMeant(ApplicationVariant variant, MethodBeatExtension settings) {
        Set<String> names = settings.getVariants().get();
        return settings.getEnabled().get() && (names.isEmpty() || names.contains(variant.getName())
                || names.contains(variant.getBuildType()) || names.contains(variant.getFlavorName()));
    }

    private static void transform(ApplicationVariant variant, FileCollection types, Project project,
            MethodBeatExtension settings) {
        Checks.scope(settings);
        String name = variant.getName();
        String task = "instrument" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1) + "Classes";
        String scope = settings.getScope().get().toUpperCase(Locale.ROOT);
        Provider<Directory> maps =
                project.getLayout().getBuildDirectory().map(build -> build.dir("outputs/methodbeat/" + name));
        TaskProvider<MergeClasses> merge = project.getTasks().register(task, MergeClasses.class, merged -> {
            merged.setDescription("Puts probes into the classes of " + name + ".");
            merged.take(settings);
            merged.getClasspath().from(types);
            merged.getApp().convention(settings.getApp().map(app ->
                    app.isEmpty() ? Collections.singletonMap("channel", name) : app));
            merged.getWithRuntime().convention(scope.equals("ALL"));
            merged.getMethodMap().convention(maps.map(folder -> folder.file("methodMapping.txt")));
            merged.getIgnoreMap().convention(maps.map(folder -> folder.file("ignoreMethodMapping.txt")));
        });
        variant.getArtifacts().forScope(ScopedArtifacts.Scope.valueOf(scope)).use(merge).toTransform(
                ScopedArtifact.CLASSES.INSTANCE,
                MergeClasses::getJars, MergeClasses::getFolders, MergeClasses::getOutput);
    }
}
