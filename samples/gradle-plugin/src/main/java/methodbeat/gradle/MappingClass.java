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

/** The class methodbeat.Mapping: which method map an app was built with, for its traces to say. */
final class MappingClass {
    private static final String NAME = "methodbeat/Mapping";
    private static final int JAVA_8 = 52;
    private static final int PUBLIC = 1;
    private static final int STATIC = 8;
    private static final int FINAL = 16;
    private static final int SUPER = 32;

    private MappingClass() {
    }

    /** Into the jar; hash: as the command told it. */
    static void put(File jar, String hash) throws IOException {
        byte[] bytes = bytesOf(hash);
        try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + jar.toURI()), Collections.emptyMap())) {
            Path entry = zip.getPath(NAME + ".class");
            Files.createDirectories(entry.getParent());
            Files.write(entry, bytes);
            Files.setLastModifiedTime(entry, FileTime.fromMillis(318211200000L)); // the same bytes at any time
        }
    }

    private static byte[] bytesOf(String hash) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(JAVA_8);
        out.writeShort(10);
        putText(out, NAME); // 1
        putReference(out, 7, 1); // 2, a class
        putText(out, "java/lang/Object"); // 3
        putReference(out, 7, 3); // 4
        putText(out, "HASH"); // 5
        putText(out, "Ljava/lang/String;"); // 6
        putText(out, "ConstantValue"); // 7
        putText(out, hash); // 8
        putReference(out, 8, 8); // 9, a string
        for (int word : new int[] {PUBLIC | FINAL | SUPER, 2, 4, 0, 1, PUBLIC | STATIC | FINAL, 5, 6, 1, 7, 0, 2, 9, 0, 0}) {
            out.writeShort(word); // one field, whose value is 9
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
