"""Names that a class file may or may not hold: what the JVM refuses is copied and reported, what it
loads is traced, and all map files are UTF-8 that reads again."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

NAMES = [b'', b'A', b'a/B', b'/B', b'B/', b'a//B', b'a.B', b'a;B', b'a[B', b'[I', b'a B', b'a\nB',
         b'a\x1bB', b'a-B', b'a(B', b'a<B', b'a>B', b'<x>', b'a\xffB', b'a\0B', b'a\xc0\x80B',
         b'a\xc0\x81B', b'a\xc1\xbfB', b'a\xc2\x80', b'a\xe0\x9f\xbf', b'a\xe0\xa0\x80', b'a\x80',
         b'a\xf0\x9f\x98\x80', b'a\xed\xa0\xbd\xed\xb8\x80', b'a\xed\xa0\xbd', b'a\xe2\x82']
DESCRIPTORS = [b'()V', b'([[ILa/B;)[J', b'(La b;)V', b'', b'V']
# They begin as descriptors: the JVM refuses these classes, with probes as without.
LYING_DESCRIPTORS = [b'()', b'(V)V', b'()VV', b'(I)[V', b'(Lx)V', b'(L;)V', b'(La.b;)V',
                     b'(La\xffb;)V', b'(La//b;)V', b'(I)Vx']
BAD_PARENTS = [b'', b'a.B', b'a;B', b'a//B', b'a\xffB']  # a good one would have to be there
LOADER = '''
import java.nio.file.*;

public class Load extends ClassLoader {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            byte[] bytes = Files.readAllBytes(Paths.get(file));
            String verdict = "ok";
            try {
                new Load().defineClass(null, bytes, 0, bytes.length);
            } catch (ClassFormatError refused) {
                verdict = "refused";
            }
            System.out.println(verdict);
        }
    }
}
'''


def u2(value):
    return struct.pack('>H', value)


def build(name, method, descriptor, parent=b'java/lang/Object'):
    """A class with one synchronized method, which is worth a probe."""
    pool = []

    def utf8(text):
        pool.append(b'\x01' + u2(len(text)) + text)
        return len(pool)

    def named(text):
        index = utf8(text)
        pool.append(b'\x07' + u2(index))
        return len(pool)

    classes = u2(named(name)) + u2(named(parent))
    code = u2(2) + u2(9) + struct.pack('>I', 2) + b'\x01\xbf' + u2(0) + u2(0)
    body = (u2(0x29) + u2(utf8(method)) + u2(utf8(descriptor)) + u2(1) + u2(utf8(b'Code')) +
            struct.pack('>I', len(code)) + code)
    return (b'\xca\xfe\xba\xbe' + u2(0) + u2(52) + u2(len(pool) + 1) + b''.join(pool) + u2(0x21) +
            classes + u2(0) + u2(0) + u2(1) + body + u2(0))


def main():
    classes = [build(name, b'run', b'()V') for name in NAMES]
    classes += [build(b'p/C%d' % i, name, b'()V') for i, name in enumerate(NAMES)]
    lies = [build(b'p/L%d' % i, b'run', text) for i, text in enumerate(LYING_DESCRIPTORS)]
    classes += [build(b'p/D%d' % i, b'run', text) for i, text in enumerate(DESCRIPTORS)] + lies
    classes += [build(b'p/E%d' % i, b'run', b'()V', name) for i, name in enumerate(BAD_PARENTS)]
    folder = judge.scratch_folder('classes')
    files = []
    for i, content in enumerate(classes):
        files.append(os.path.join(folder, f'{i:03}.class'))
        with open(files[-1], 'wb') as file:
            file.write(content)
    source = judge.scratch('Load.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(LOADER)
    verdicts = judge.java(source, *files).stdout.split()
    judge.check(len(verdicts) == len(files), 'a verdict for each class')
    output = judge.scratch('out')
    counts = judge.scratch('counts.json')
    judge.instrument('-o', output, '--json', counts, folder)
    warnings = judge.read(counts)
    refused = 0
    for path, content, verdict in zip(files, classes, verdicts):
        name = os.path.basename(path)
        with open(os.path.join(output, 'classes', name), 'rb') as file:
            is_changed = file.read() != content
        is_reported = f'{name}: ' in warnings
        judge.check(is_changed != is_reported, f'{name}: changed {is_changed}, reported {is_reported}')
        judge.check(is_changed == (verdict == 'ok') or content in lies,
                    f'{name}: {verdict}, changed {is_changed}')
        refused += verdict != 'ok'
    for name in ('methodMapping.txt', 'ignoreMethodMapping.txt'):
        with open(os.path.join(output, name), 'rb') as file:
            content = file.read()
        judge.check(content.decode('utf-8', 'replace').encode() == content, f'{name} is UTF-8')
    judge.instrument('-o', judge.scratch('again'), '--base-method-map',
                     os.path.join(output, 'methodMapping.txt'), folder)
    print(f'{len(files)} classes, {refused} refused')
    judge.finish()


main()
