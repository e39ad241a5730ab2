"""Instrumented programs do what they did before, and every o closes the innermost open i.

What an exception leaves has no o with --exceptions=catch: almost all such calls must be closed by a c,
and programs that do the same each time have the same calls as with finally, and the same times
within 2 %: totals and own times of 1 % of all and more. Clojure compiles its script while it runs: classes without
probes, which catch what methods throw that nobody could know to be called from outside. The clock is the
entries of the thread, which no other load disturbs.

usage: programs.py METHODBEAT PROGRAM...   names of the functions below
"""
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

PAGE = '<!DOCTYPE html><html><head><title></title></head><body><p id=a><p id=a><b><i></b></i>\n'
GRAMMAR = '''grammar Expr;
prog : expr+ EOF ;
expr : expr op=('*'|'/') expr | expr op=('+'|'-') expr | INT | '(' expr ')' ;
INT : [0-9]+ ;
WS : [ \\t\\r\\n]+ -> skip ;
'''
SCRIPT = '''function hello(longName, other) {
    /* removed */
    var unused = longName ? other : (function (deep) { return deep + 1; })(2);
    for (var i = 0; i < 10; i++) { try { unused += i; } catch (e) { alert(e); } finally { i++; } }
    return unused;
}
'''
KOTLIN = '''data class Point(val x: Int, val y: Int)
sealed class Shape { class Dot(val at: Point) : Shape(); object None : Shape() }
inline fun <T> twice(f: () -> T): List<T> = listOf(f(), f())
fun describe(s: Shape) = when (s) { is Shape.Dot -> "dot ${s.at}"; Shape.None -> "none" }
fun main() { println(twice { describe(Shape.Dot(Point(1, 2))) }) }
'''
GROOVY = '''
class Account { BigDecimal sum = 0; def add(x) { if (x < 0) throw new IllegalArgumentException("no"); sum += x; this } }
def a = new Account(); (1..20).each { a.add(it) }
try { a.add(-1) } catch (e) { println e.message }
println a.sum; println([3, 1, 2].sort().collect { it * 2 }.inject { x, y -> x + y })
println "x=${a.sum}".replaceAll(/\\d/) { "<$it>" }
'''
CLOJURE = '''
(defmulti area :kind)
(defmethod area :square [{s :side}] (* s s))
(defmethod area :default [_] (throw (ex-info "no" {:n 1})))
(println (area {:kind :square :side 4}))
(println (try (area {}) (catch Exception e (ex-data e)) (finally (println "finally"))))
(println (reduce + (map inc (filter even? (range 1000)))))
(println (into (sorted-map) (group-by count ["a" "bb" "cc"])))
(println (deref (future (apply str (interpose "," (range 5))))))
(shutdown-agents)
'''
RUBY = '''
require 'json'
class Account
  attr_reader :sum
  def initialize; @sum = 0; end
  def add(x) raise ArgumentError, "no" if x < 0; @sum += x; self; end
  def method_missing(name, *rest) name == :double ? @sum * 2 : super; end
  def respond_to_missing?(name, all = false) name == :double || super; end
end
a = Account.new
(1..20).each { |x| a.add(x) }
begin; a.add(-1); rescue ArgumentError => e; puts e.message; ensure; puts "ensure"; end
begin; a.triple; rescue NoMethodError => e; puts e.class; end
puts a.double, [3, 1, 2].sort.map { |x| x * 2 }.inject(:+)
puts "x=#{a.sum}".gsub(/\\d/) { |d| "<#{d}>" }
puts JSON.generate({"a" => [1, 2.5, nil, "\\u00e9"]}), catch(:done) { 10.times { |i| throw :done, i if i == 3 } }
puts Fiber.new { Fiber.yield 1; 2 }.then { |f| f.resume + f.resume }
puts (1..3).map { |i| Thread.new { i * i } }.map(&:value).inspect
'''
MOCK = '''
import static com.github.tomakehurst.wiremock.client.WireMock.*;
import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import java.net.HttpURLConnection;
import java.net.URL;

public class Ask {
    public static void main(String[] words) throws Exception {
        WireMockServer server = new WireMockServer(WireMockConfiguration.options().dynamicPort());
        server.start();
        server.stubFor(get(urlMatching("/a/[0-9]+")).willReturn(aResponse().withStatus(200)
            .withTransformers("response-template").withBody("{{request.path.[1]}} is {{request.query.x}}")));
        server.stubFor(post("/json").withRequestBody(matchingJsonPath("$.a[?(@ > 2)]"))
            .willReturn(okJson("{\\"found\\":true}")));
        for (String path : new String[] {"/a/7?x=1", "/a/8?x=2", "/b"}) {
            HttpURLConnection to = (HttpURLConnection) new URL(server.baseUrl() + path).openConnection();
            System.out.println(path + " " + to.getResponseCode() + " "
                + (to.getResponseCode() < 400 ? new String(to.getInputStream().readAllBytes()) : ""));
        }
        HttpURLConnection to = (HttpURLConnection) new URL(server.baseUrl() + "/json").openConnection();
        to.setDoOutput(true);
        to.getOutputStream().write("{\\"a\\":[1,2,3]}".getBytes());
        System.out.println(new String(to.getInputStream().readAllBytes()));
        System.out.println(server.getAllServeEvents().size() + " " + server.findAllUnmatchedRequests().size());
        server.stop();
    }
}
'''


def put(name, text):
    path = judge.scratch(name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def files_below(folder):
    """Paths and contents of all files, to compare what a program wrote."""
    found = {}
    for path in glob.glob(os.path.join(folder, '**'), recursive=True):
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


# All objects have the same hash code, which else makes an order; more than half of what vnu does would be comparing them.
SAME_EACH_TIME = {'antlr', 'clojure', 'javac'}
if os.environ.get('MB_JDK') == 'newest':
    SAME_EACH_TIME.discard('javac')  # of 25: 540 of its five million calls come and go
SAME_HASHES = ('-XX:+UnlockExperimentalVMOptions', '-XX:hashCode=2')
CATCHES_ITSELF = {'antlr', 'javac'}
MOST_INFERRED = 0.001  # of the calls

# Each program: the corpus to instrument, and the JVM's arguments, given where that is and an empty
# folder for what is written.

def yui(jar, _):
    return ('-jar', jar, put('in.js', SCRIPT))


def antlr(jar, out):
    return ('-cp', jar, 'org.antlr.v4.Tool', '-Dlanguage=Java', '-visitor', '-o', out,
            put('Expr.g4', GRAMMAR))


def vnu(jar, _):
    return ('-Dnu.validator.client.quiet=1', '-jar', jar, '--format', 'json', '--exit-zero-always',
            put('page.html', PAGE))


def kotlin(jar, out):
    library = judge.scratch_folder('kotlinc-' + os.path.basename(os.path.dirname(jar)), 'lib')
    for other in glob.glob('/usr/share/kotlin/kotlinc/lib/*.jar'):  # what its manifest names
        link = os.path.join(library, os.path.basename(other))
        if not os.path.lexists(link):
            os.symlink(other, link)
    compiler = os.path.join(library, 'kotlin-compiler.jar')
    os.unlink(compiler)
    os.symlink(jar, compiler)
    return ('-Xmx1500m', '-cp', os.path.join(library, 'kotlin-preloader.jar'),
            'org.jetbrains.kotlin.preloading.Preloader', '-cp', compiler,
            'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler', '-no-reflect', '-d', out,
            put('hello.kt', KOTLIN))


def groovy(jar, _):
    return ('-cp', jar, 'groovy.ui.GroovyMain', '-e', GROOVY)


def clojure(jar, _):
    return ('-cp', ':'.join((jar, *judge.corpus('spec', 'core-specs'))), 'clojure.main',
            put('t.clj', CLOJURE))


def jruby(jar, _):
    return ('-jar', jar, put('t.rb', RUBY))


def wiremock(jar, _):
    classes = judge.scratch('ask')
    if not os.path.isdir(classes):
        judge.compile_java(classes, (put('Ask.java', MOCK),), '-cp', jar)
    return ('-cp', f'{jar}:{classes}', 'Ask')


def javac(module, out):
    sources = glob.glob(os.path.join(judge.ROOT, 'samples', 'java', 'release*', '*.java'))
    return ('--patch-module', f'jdk.compiler={module}', '--add-reads', 'jdk.compiler=ALL-UNNAMED',
            '-m', 'jdk.compiler/com.sun.tools.javac.Main', '-Xlint:all', '-d', out,
            *sorted(sources))


PROGRAMS = {'yui': yui, 'antlr': antlr, 'vnu': vnu, 'kotlin': kotlin, 'groovy': groovy,
            'clojure': clojure, 'jruby': jruby, 'wiremock': wiremock, 'javac': javac}


def run(program, path, **more):
    """Exit code, both streams and the files written, the same for equal behaviour."""
    out = judge.scratch_folder('out')
    shutil.rmtree(out)
    os.mkdir(out)
    done = judge.java(*PROGRAMS[program](path, out), timeout=900, **more)
    printed = (text.replace(path, 'INPUT') for text in (done.stdout, done.stderr))
    return done.returncode, *printed, files_below(out)


def run_original(program, **more):
    """Where the program is, and what it does without probes."""
    original = judge.corpus('jdk.compiler' if program == 'javac' else program)
    before = run(program, original, **more)
    judge.check(before[0] == 0 and any(before[1:]), f'{program} works as it is: {before[:3]}')
    return original, before


def read_counts(path):
    """Calls, total and own by id."""
    lines = (map(int, line.split()) for line in judge.read(path).splitlines())
    return {number: (calls, total, own) for number, calls, total, own in lines}


def compare_catch(program, exact, found):
    """What catch tells, beside what finally does."""
    calls = [number for number in exact.keys() | found.keys()
             if exact.get(number, (0,))[0] != found.get(number, (0,))[0]]
    judge.check(not calls, f'{program}: other calls of methods {calls[:10]}')
    others = judge.other_times(exact, found)
    judge.check(not others or program not in CATCHES_ITSELF,
                f'{program}: other totals and own times of {list(others.items())[:10]}')
    print(f'{program}: {len(found)} methods have equal calls, {len(others)} other times', flush=True)


def judge_program(program):
    options = SAME_HASHES if program in SAME_EACH_TIME else ()
    original, before = run_original(program, options=options)
    exact = {}
    for mode in judge.MODES:
        output = judge.scratch(f'{program}-{mode}')
        judge.instrument('--output', output, f'--exceptions={mode}', original)
        count = judge.scratch('count')
        counts = judge.scratch('counts')
        after = run(program, os.path.join(output, os.path.basename(original)), count=count,
                    counts=counts, options=options)
        judge.check(before == after, f'{program} {mode}: {after[:3]}, was {before[:3]}')
        found = judge.totals(judge.read(count)) if os.path.exists(count) else None
        if judge.check(found and found['in'] > 1000, f'{program} {mode}: calls {found}'):
            os.unlink(count)
            if mode == 'finally':
                judge.check(found['unmatched_in'] == 0 and found['unmatched_out'] == 0,
                            f'{program}: {found}')
            elif mode == 'catch':
                judge.check(found['unmatched_out'] == 0 and
                            found['unmatched_in'] <= MOST_INFERRED * found['in'],
                            f'{program} {mode}: {found}')
            if program in SAME_EACH_TIME and mode == 'finally':
                exact = read_counts(counts)
            elif program in SAME_EACH_TIME and mode == 'catch':
                compare_catch(program, exact, read_counts(counts))
            print(f'{program} {mode}: the same output, {found}', flush=True)


def main():
    for name in sys.argv[2:]:
        judge_program(name)
    judge.finish()


if __name__ == '__main__':
    main()
