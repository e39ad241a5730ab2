package methodbeat.gradle;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.Map;
import java.util.stream.Collectors;

/** The class methodbeat.Mapping: which method map a program was built with, and what it is, for its files to say. */
final class MappingClass {
    private static final String NAME = "methodbeat/Mapping";
    private static final int JAVA_8 = 52;
    private static final int PUBLIC = 1;
    private static final int STATIC = 8;
    private static final int FINAL = 16;
    private static final int SUPER = 32;

    private MappingClass() {
    }

    /** Pairs of the setting app; those that say nothing are left out, and commas in them. */
    static String pairs(Map<String, String> app) {
        return app.entrySet().stream().filter(pair -> !pair.getValue().isEmpty())
                .map(pair -> pair.getKey() + '=' + pair.getValue().replace(',', '_')).collect(Collectors.joining(","));
    }

    /** Below a folder of classes. */
    static void write(File folder, String hash, String app) throws IOException {
        Path file = folder.toPath().resolve(NAME + ".class");
        Files.createDirectories(file.getParent());
        Files.write(file, bytesOf(hash, app));
    }

    /** Into the jar; hash: as the command told it. */
    static void put(File jar, String hash, String app) throws IOException {
        byte[] bytes = bytesOf(hash, app);
        try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + jar.toURI()), Collections.emptyMap())) {
            Path entry = zip.getPath(NAME + ".class");
            Files.createDirectories(entry.getParent());
            Files.write(entry, bytes);
            Files.setLastModifiedTime(entry, FileTime.fromMillis(318211200000L)); // the same bytes at any time
        }
    }

    private static byte[] bytesOf(String hash, String app) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(JAVA_8);
        out.writeShort(13);
        putText(out, NAME); // 1
        putReference(out, 7, 1); // 2, a class
        putText(out, "java/lang/Object"); // 3
        putReference(out, 7, 3); // 4
        putText(out, "HASH"); // 5
        putText(out, "Ljava/lang/String;"); // 6
        putText(out, "ConstantValue"); // 7
        putText(out, hash); // 8
        putReference(out, 8, 8); // 9, a string
        putText(out, "APP"); // 10
        putText(out, app); // 11
        putReference(out, 8, 11); // 12
        int[] words = {PUBLIC | FINAL | SUPER, 2, 4, 0, 2, PUBLIC | STATIC | FINAL, 5, 6, 1, 7, 0, 2, 9,
            PUBLIC | STATIC | FINAL, 10, 6, 1, 7, 0, 2, 12, 0, 0}; // two fields, whose values are 9 and 12
        for (int word : words) {
            out.writeShort(word);
        }
        return bytes.toByteArray();
    }

    private static void putText(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private static void putReference(DataOutputStream out, int tag, int index) throws IOException {
        out.writeByte(tag);
        out.writeShort(index);
    }
}
