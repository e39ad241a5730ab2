package methodbeat.gradle;

import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.ConfigurationContainer;
import org.gradle.api.artifacts.dsl.DependencyHandler;
import org.gradle.api.attributes.Attribute;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.RegularFileProperty;

import java.io.File;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * What is published with the plug-in, in its own version: the command for this system, what probes call, what records.
 * It is had from where the plug-in was had. A plug-in that a build makes from source has no version, and nothing here.
 */
final class Own {
    private static final String VERSION = Own.class.getPackage().getImplementationVersion();
    private static final String GROUP = Own.class.getPackage().getImplementationVendor();
    private static final Attribute<String> TYPE = Attribute.of("artifactType", String.class);
    private static final String COMMAND = "methodbeat-command";

    private final Project project;
    private final ConfigurationContainer configurations;
    private final DependencyHandler dependencies;

    Own(Project project) {
        this.project = project;
        Project from = project;
        while (from != null && from.getBuildscript().getRepositories().isEmpty()) {
            from = from.getParent();
        }
        configurations = from == null ? project.getConfigurations() : from.getBuildscript().getConfigurations();
        dependencies = from == null ? project.getDependencies() : from.getBuildscript().getDependencies();
    }

    static boolean isPublished() {
        return VERSION != null;
    }

    /** What the command says of itself; null if there is none. */
    static String said() {
        return isPublished() ? "methodbeat " + VERSION + "\n" : null;
    }

    /** This machine in the words of osdetector, which others name their artifacts by. */
    static String classifier() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        system = system.startsWith("windows") ? "windows" : system.startsWith("mac") ? "osx" : system;
        return system + "-" + processor.replaceFirst("^amd64$", "x86_64").replaceFirst("^aarch64$", "aarch_64");
    }

    /** The command, as a file that can be started: what is in Gradle's cache cannot, and stays as it is. */
    FileCollection command() {
        if (!isPublished()) {
            return project.files();
        }
        boolean isKnown = configurations.findByName("methodbeatCommand") != null;
        Configuration command = one("methodbeatCommand", "methodbeat:" + VERSION + ":" + classifier() + "@exe");
        if (!isKnown) {
            dependencies.registerTransform(MakeExecutable.class, spec -> {
                spec.getFrom().attribute(TYPE, "exe");
                spec.getTo().attribute(TYPE, COMMAND);
            });
        }
        return command.getIncoming().artifactView(view -> view.getAttributes().attribute(TYPE, COMMAND)).getFiles();
    }

    /** The library that records in a JVM of this machine, of those that have one. */
    FileCollection recorder() {
        if (!isPublished() || !classifier().startsWith("linux-")) {
            return project.files();
        }
        String library = classifier() + (isMusl() ? "-musl" : "");
        return one("methodbeatRecorder", "methodbeat:" + VERSION + ":" + library + "@so").getIncoming()
                .artifactView(view -> view.lenient(true)).getFiles();
    }

    /** The system's C library, as its loaders say. */
    private static boolean isMusl() {
        return has("/lib", "ld-musl-") && !has("/lib", "ld-linux-") && !has("/lib64", "ld-linux-");
    }

    private static boolean has(String folder, String start) {
        String[] names = new File(folder).list((in, name) -> name.startsWith(start));
        return names != null && names.length > 0;
    }

    /** The file that a build script names; else the artifact of that name, such as methodbeat-runtime@jar. */
    FileCollection unlessSet(RegularFileProperty file, String name, String type) {
        FileCollection published = !isPublished() ? project.files()
                : one(name, name + ":" + VERSION + "@" + type);
        return project.files((Callable<Object>) () -> file.isPresent() ? file.get() : published);
    }

    private Configuration one(String name, String dependency) {
        Configuration found = configurations.findByName(name);
        if (found == null) {
            found = configurations.create(name);
            found.setCanBeConsumed(false);
            found.setTransitive(false);
            found.getDependencies().add(dependencies.create(GROUP + ':' + dependency));
        }
        return found;
    }
}
