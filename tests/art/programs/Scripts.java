import org.mozilla.javascript.Context;
import org.mozilla.javascript.RhinoException;
import org.mozilla.javascript.Scriptable;

/** Rhino, which interprets here: classes that are made while it runs are not for ART. */
public final class Scripts {
    private static final String[] SCRIPTS = {
        "function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } f(13)",
        "var a = []; for (var i = 0; i < 50; i++) { a.push((i * 37) % 50); } a.sort(function(x, y) { return y - x; }).join()",
        "try { null.x } catch (e) { e.name + ': ' + e.message } finally { a = 1; }",
        "'2024-01-02 and 2025-03-04'.replace(/(\\d+)-(\\d+)-(\\d+)/g, function(m, y, n, d) { return d + '.' + n + '.' + y; })",
        "JSON.stringify({list: [1, 2.5, null, 'x\\u00e9'], of: {deep: [[], {}]}, at: JSON.parse('[true, {\"a\": 1e3}]')})",
        "function T(x) { this.x = x; } T.prototype.get = function() { return this.x; }; [new T(1), new T(2)].map(function(t)"
            + " { return t.get(); }) + (new T(3) instanceof T)",
        "(function() { var n = 0; outer: for (;;) { for (var i = 0; i < 9; i++) { if (n > 30) break outer;"
            + " if (i % 3) continue; n += i; } } return n; })()",
        "(function() { try { return 'a'; } finally { throw new RangeError('b'); } })()",
        "this is no script",
        "(0.1 + 0.2).toFixed(3) + parseInt('ff', 16) + Math.max(1, '3') + encodeURIComponent('a b\\u20ac')",
    };

    public static void main(String[] words) {
        Context context = Context.enter();
        context.setOptimizationLevel(-1);
        Scriptable scope = context.initSafeStandardObjects();
        for (String script : SCRIPTS) {
            try {
                System.out.println(Context.toString(context.evaluateString(scope, script, "script", 1, null)));
            } catch (RhinoException e) {
                System.out.println(e.getClass().getName() + " " + e.lineNumber());
            }
        }
        Context.exit();
    }

    private Scripts() {}
}
