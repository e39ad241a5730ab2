package standin;

import org.gradle.api.Plugin;
import org.gradle.api.Project;

/** Stands in for AGP's plug-ins of the modules that an app is made of. */
public final class ModulePlugin implements Plugin<Project> {
    @Override
    public void apply(Project project) {
    }
}
