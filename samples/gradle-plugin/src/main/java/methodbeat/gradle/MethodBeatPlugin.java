package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFile;
import org.gradle.api.provider.Provider;

import java.io.File;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Puts probes into what a project of Java or of an Android app runs. */
public final class MethodBeatPlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        MethodBeatExtension settings =
                project.getExtensions().create("methodbeat", MethodBeatExtension.class);
        settings.getEnabled().convention(true);
        settings.getScope().convention("all");
        settings.getExecutable().convention(onPath(project));
        FileCollection runtime = project.files((Callable<Object>) () ->
                settings.getRuntime().isPresent() ? settings.getRuntime().get() : Collections.emptyList());
        Checks.whenNeeded(project, settings);
        for (String module : new String[] {"com.android.library", "com.android.dynamic-feature"}) {
            project.getPluginManager().withPlugin(module, plugin -> {
                throw new GradleException("methodbeat: apply the plug-in in the application's module, not where '"
                        + module + "' is: with scope 'all' it puts probes into the classes of its modules too");
            });
        }
        // What only one kind of project needs is loaded where that is.
        project.getPluginManager().withPlugin("java", plugin -> {
            project.getDependencies().add("implementation", runtime);
            project.afterEvaluate(evaluated -> Checks.scope(settings));
            new JavaBuild(project, settings, runtime).apply();
        });
        project.getPluginManager().withPlugin("com.android.application", plugin -> {
            AndroidBuild.apply(project, settings);
        });
    }

    private static Provider<RegularFile> onPath(Project project) {
        return project.getLayout().file(project.getProviders().environmentVariable("PATH").map(path ->
                Stream.of(path.split(Pattern.quote(File.pathSeparator)))
                        .map(folder -> new File(folder, "methodbeat"))
                        .filter(File::canExecute).findFirst().orElse(null)));
    }
}
