package methodbeat.gradle;

import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.file.FileCollection;

/** Puts probes into what a project of Java or of an Android app runs. */
public final class MethodBeatPlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
        MethodBeatExtension settings =
                project.getExtensions().create("methodbeat", MethodBeatExtension.class);
        settings.getEnabled().convention(true);
        settings.getEach().convention(false);
        settings.getScope().convention("all");
        Own own = new Own(project);
        settings.takeCommand(project, own);
        Checks.whenNeeded(project, settings);
        for (String module : new String[] {"com.android.library", "com.android.dynamic-feature"}) {
            project.getPluginManager().withPlugin(module, plugin -> {
                throw new GradleException("methodbeat: apply the plug-in in the application's module, not where '"
                        + module + "' is: with scope 'all' it puts probes into the classes of its libraries too; "
                        + "those of dynamic features get none");
            });
        }
        // What only one kind of project needs is loaded where that is.
        project.getPluginManager().withPlugin("java", plugin -> {
            FileCollection runtime = own.unlessSet(settings.getRuntime(), "methodbeat-runtime", "jar");
            project.getDependencies().add("implementation", runtime);
            project.afterEvaluate(evaluated -> Checks.scope(settings));
            new JavaBuild(project, settings, runtime).apply(own);
        });
        project.getPluginManager().withPlugin("com.android.application", plugin -> {
            AndroidBuild.apply(project, settings, own);
        });
    }
}
