import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes classes at the limits of the format, each with a {@code main} that prints a number.
 *
 * <p>usage: java -cp asm.jar MakeLimits.java FOLDER
 */
public final class MakeLimits implements Opcodes {
    private static final int POOL_LIMIT = 65535;

    public static void main(String[] arguments) throws IOException {
        Path folder = Paths.get(arguments[0]);
        for (int size : new int[] {65500, 65520, 65535}) {
            write(folder, "Code" + size, large("Code" + size, size));
        }
        for (int free = 0; free < 16; free++) {
            write(folder, "Pool" + free, full("Pool" + free, free));
        }
        write(folder.resolveSibling("android"), "Full", fullActivity("Full"));
        write(folder.resolveSibling("huge"), "Huge", huge("Huge", 7960, 8010));
        for (int version : new int[] {V1_5, V1_8}) {
            String name = "Far" + version;
            write(folder, name, far(name, version));
        }
    }

    /** An Activity in whose pool nothing is free. */
    private static byte[] fullActivity(String name) {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(V1_8, ACC_PUBLIC, name, null, "android/app/Activity", null);
        for (int number = writer.newConst(0); number < POOL_LIMIT - 1;) {
            number = writer.newConst(1000000 + number);
        }
        return writer.toByteArray();
    }

    private static void write(Path folder, String name, byte[] bytes) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + ".class"), bytes);
    }

    private static ClassWriter begin(String name, int version) {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(version, ACC_PUBLIC, name, null, "java/lang/Object", null);
        MethodVisitor main = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "main",
                "([Ljava/lang/String;)V", null, null);
        main.visitFieldInsn(GETSTATIC, "java/lang/System", "out", "Ljava/io/PrintStream;");
        main.visitInsn(ICONST_3);
        main.visitMethodInsn(INVOKESTATIC, name, "run", "(I)I", false);
        main.visitMethodInsn(INVOKEVIRTUAL, "java/io/PrintStream", "println", "(I)V", false);
        main.visitInsn(RETURN);
        main.visitMaxs(0, 0);
        return writer;
    }

    private static MethodVisitor run(ClassWriter writer, String name) {
        MethodVisitor run = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, name, "(I)I", null, null);
        run.visitVarInsn(ILOAD, 0);
        run.visitMethodInsn(INVOKESTATIC, "java/lang/Math", "abs", "(I)I", false);
        run.visitVarInsn(ISTORE, 0);
        return run;
    }

    /** A method whose code has exactly this many bytes. */
    private static byte[] large(String name, int size) {
        ClassWriter writer = begin(name, V1_8);
        fill(run(writer, "run"), size);
        return writer.toByteArray();
    }

    /** Methods of each size from least to most, all called once: HotSpot compiles up to 8,000. */
    private static byte[] huge(String name, int least, int most) {
        ClassWriter writer = begin(name, V1_8);
        MethodVisitor all = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "run", "(I)I", null, null);
        all.visitVarInsn(ILOAD, 0);
        for (int size = least; size <= most; size++) {
            all.visitMethodInsn(INVOKESTATIC, name, "run" + size, "(I)I", false);
            fill(run(writer, "run" + size), size);
        }
        all.visitInsn(IRETURN);
        all.visitMaxs(0, 0);
        return writer.toByteArray();
    }

    private static void fill(MethodVisitor run, int size) {
        int rest = size - 5 - 2; /* iload_0 invokestatic istore_0, iload_0 ireturn */
        for (; rest >= 3; rest -= 3) {
            run.visitIincInsn(0, 1);
        }
        for (; rest > 0; rest--) {
            run.visitInsn(NOP);
        }
        run.visitVarInsn(ILOAD, 0);
        run.visitInsn(IRETURN);
        run.visitMaxs(0, 0);
    }

    /** A pool in which only so many entries are free. */
    private static byte[] full(String name, int free) {
        ClassWriter writer = begin(name, V1_8);
        MethodVisitor run = run(writer, "run");
        run.visitVarInsn(ILOAD, 0);
        run.visitInsn(IRETURN);
        run.visitMaxs(0, 0);
        writer.visitEnd();
        writer.toByteArray(); /* its own names are in the pool now */
        int next = writer.newConst(1000000) + 1;
        for (int number = 1; next < POOL_LIMIT - free; number++, next++) {
            writer.newConst(1000000 + number);
        }
        return writer.toByteArray();
    }

    /** Branches both ways that reach as far as 16 bits do, with exits between the ends. */
    private static byte[] far(String name, int version) {
        ClassWriter writer = begin(name, version);
        MethodVisitor run = run(writer, "run");
        Label back = new Label();
        Label end = new Label();
        run.visitLabel(back);
        frame(run, version);
        run.visitIincInsn(0, -1);
        run.visitVarInsn(ILOAD, 0);
        run.visitJumpInsn(IFLT, end);
        for (int i = 0; i < 10; i++) {
            Label over = new Label();
            run.visitVarInsn(ILOAD, 0);
            run.visitIntInsn(SIPUSH, 1000 + i);
            run.visitJumpInsn(IF_ICMPNE, over);
            run.visitVarInsn(ILOAD, 0);
            run.visitInsn(IRETURN);
            run.visitLabel(over);
            frame(run, version);
        }
        /* 4 + 10 * 9 bytes are behind us; what follows leaves both branches 16 bits and no more. */
        for (int i = 0; i < 10890; i++) {
            run.visitIincInsn(0, i % 2 == 0 ? 1 : -1);
        }
        run.visitVarInsn(ILOAD, 0);
        run.visitJumpInsn(IFGE, back);
        run.visitLabel(end);
        frame(run, version);
        run.visitVarInsn(ILOAD, 0);
        run.visitInsn(IRETURN);
        run.visitMaxs(0, 0);
        return writer.toByteArray();
    }

    private static void frame(MethodVisitor run, int version) {
        if (version >= V1_6) {
            run.visitFrame(F_FULL, 1, new Object[] {INTEGER}, 0, new Object[0]);
        }
    }
}
