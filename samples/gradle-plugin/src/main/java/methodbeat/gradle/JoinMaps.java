package methodbeat.gradle;

import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.FileTree;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The maps of all parts in one; of a method that is in several, the first part's line. */
@CacheableTask
public abstract class JoinMaps extends DefaultTask {
    private static final String METHODS = "methodMapping.txt";
    private static final String IGNORED = "ignoreMethodMapping.txt";

    /** What is rewritten, a folder each, in the order of the class path. */
    @Internal
    public abstract ConfigurableFileCollection getFolders();

    @InputFiles
    @PathSensitive(PathSensitivity.RELATIVE)
    public FileTree getMaps() {
        return getFolders().getAsFileTree().matching(names -> names.include(METHODS, IGNORED));
    }

    @Input
    public List<String> getOrder() {
        return getFolders().getFiles().stream().map(File::getName).collect(Collectors.toList());
    }

    @OutputFile
    public abstract RegularFileProperty getMethodMap();

    @OutputFile
    public abstract RegularFileProperty getIgnoreMap();

    @TaskAction
    void join() throws IOException {
        Map<Integer, String> methods = new TreeMap<>();
        Map<String, Set<String>> ignored = new TreeMap<>();
        List<String> heading = new ArrayList<>();
        for (File folder : getFolders()) {
            for (String line : Files.readAllLines(new File(folder, METHODS).toPath())) {
                add(methods, line.split(",", 3), line);
            }
            List<String> lines = Files.readAllLines(new File(folder, IGNORED).toPath());
            heading = lines.subList(0, 1);
            for (String line : lines.subList(1, lines.size())) {
                ignored.computeIfAbsent(line.substring(0, line.indexOf(' ')), any -> new LinkedHashSet<>()).add(line);
            }
        }
        List<String> all = new ArrayList<>(heading);
        ignored.values().forEach(all::addAll);
        write(getMethodMap(), methods.values());
        write(getIgnoreMap(), all);
    }

    /** Copies of a class have a method twice; two methods have one id only if their hashes were made equal. */
    private static void add(Map<Integer, String> methods, String[] words, String line) {
        String known = methods.putIfAbsent(Integer.valueOf(words[0]), line);
        if (known != null && !known.split(",", 3)[2].equals(words[2])) {
            throw new GradleException(known.split(",", 3)[2] + " and " + words[2] + " have one hash: rename one");
        }
    }

    private static void write(RegularFileProperty file, Iterable<String> lines) throws IOException {
        Files.write(file.get().getAsFile().toPath(), lines);
    }
}
