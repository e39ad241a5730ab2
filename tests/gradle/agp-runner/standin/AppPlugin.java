package standin;

import com.android.build.api.dsl.SdkComponents;
import com.android.build.api.variant.ApplicationAndroidComponentsExtension;
import com.android.build.api.variant.ApplicationVariant;
import com.android.build.api.variant.VariantSelector;

import kotlin.Unit;
import kotlin.jvm.functions.Function1;

import org.gradle.api.Action;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.file.RegularFile;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.api.tasks.compile.JavaCompile;
import org.gradle.jvm.tasks.Jar;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Stands in for AGP's plug-in of the same id: variants debug and release, whose classes are one source folder and
 * the configurations 'implementation' and their own, go through the tasks that were put behind them into a jar.
 */
public final class AppPlugin implements Plugin<Project> {
    private static final String[] VARIANTS = {"debug", "release"};

    @Override
    public void apply(Project project) {
        project.getPluginManager().apply("java-base");
        Configuration libraries = project.getConfigurations().create("implementation");
        for (String name : VARIANTS) {
            project.getConfigurations().create(name + "Implementation").extendsFrom(libraries);
        }
        Components components = new Components(project);
        project.getExtensions().add(ApplicationAndroidComponentsExtension.class, "androidComponents", components);
        project.afterEvaluate(evaluated -> {
            for (String name : VARIANTS) {
                Configuration own = project.getConfigurations().getByName(name + "Implementation");
                TaskProvider<JavaCompile> compile = compile(project, name, own);
                Classes classes = new Classes(project, name, compile, own);
                components.actions.forEach(action -> action.execute(new Variant(name, classes, own)));
                project.getTasks().register("package" + name, Jar.class, task -> {
                    task.from(classes.contents());
                    task.getArchiveFileName().set(name + ".jar");
                    task.getDestinationDirectory().set(project.getLayout().getBuildDirectory().dir("outputs/apk"));
                });
            }
        });
    }

    private static TaskProvider<JavaCompile> compile(Project project, String variant, Configuration libraries) {
        return project.getTasks().register("compile" + variant, JavaCompile.class, task -> {
            task.source("src/main/java");
            task.setClasspath(libraries);
            task.getDestinationDirectory().set(project.getLayout().getBuildDirectory().dir("classes/" + variant));
        });
    }

    private static final class Components implements ApplicationAndroidComponentsExtension {
        final List<Action<ApplicationVariant>> actions = new ArrayList<>();
        private final ProviderFactory providers;
        private final RegularFile platform;

        Components(Project project) {
            providers = project.getProviders();
            platform = project.getLayout().getProjectDirectory().file("libs/android.jar");
        }

        @Override
        public SdkComponents getSdkComponents() {
            return () -> providers.provider(() -> Collections.singletonList(platform));
        }

        @Override
        public VariantSelector selector() {
            return new VariantSelector() {
                @Override
                public VariantSelector all() {
                    return this;
                }
            };
        }

        @Override
        public void onVariants(VariantSelector selector, Action<ApplicationVariant> callback) {
            actions.add(callback);
        }

        @Override
        public void onVariants(VariantSelector selector, Function1<? super ApplicationVariant, Unit> callback) {
            actions.add(callback::invoke);
        }
    }
}
