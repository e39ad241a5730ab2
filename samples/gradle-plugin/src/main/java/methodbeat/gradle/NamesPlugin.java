package methodbeat.gradle;

import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ArtifactCollection;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.component.ProjectComponentIdentifier;
import org.gradle.api.attributes.Category;
import org.gradle.api.file.RegularFile;
import org.gradle.api.plugins.JavaPlugin;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.jvm.tasks.Jar;

/**
 * In a module of plain Java: collects what the applications that run it have to know of it, once for all of them.
 * Its block says the same as theirs.
 */
public final class NamesPlugin implements Plugin<Project> {
    private static final String NAMES = "methodbeat-names";

    @Override
    public void apply(Project project) {
        Choice settings = project.getExtensions().create("methodbeat", Choice.class);
        settings.takeCommand(project, new Own(project));
        project.getPluginManager().withPlugin("java", plugin -> {
            TaskProvider<Jar> jar = project.getTasks().named(JavaPlugin.JAR_TASK_NAME, Jar.class);
            Provider<RegularFile> names = project.getLayout().getBuildDirectory().file(jar.flatMap(task ->
                    task.getArchiveFileName().map(name -> "intermediates/methodbeat/" + EachPart.namesOf(name))));
            TaskProvider<CollectNames> collect =
                    project.getTasks().register("collectNames", CollectNames.class, task -> {
                        task.setDescription("Collects what the applications that run this module need to know of it.");
                        task.take(settings);
                        task.getPart().from(jar);
                        task.getNames().convention(names);
                    });
            project.getConfigurations().create("methodbeatNames", offered -> {
                offered.setCanBeResolved(false);
                offered.setCanBeConsumed(true);
                offered.getAttributes().attribute(Category.CATEGORY_ATTRIBUTE,
                        project.getObjects().named(Category.class, NAMES));
                offered.getOutgoing().artifact(collect.flatMap(CollectNames::getNames));
            });
        });
    }

    /** What the modules among the libraries have collected, of those that do. */
    static ArtifactCollection collected(Project project, Configuration libraries) {
        return libraries.getIncoming().artifactView(view -> {
            view.withVariantReselection();
            view.lenient(true);
            view.componentFilter(owner -> owner instanceof ProjectComponentIdentifier);
            view.attributes(wanted -> wanted.attribute(Category.CATEGORY_ATTRIBUTE,
                    project.getObjects().named(Category.class, NAMES)));
        }).getArtifacts();
    }
}
