import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jsoup.safety.Safelist;
import org.jsoup.select.NodeVisitor;
import org.jsoup.select.Selector;

/** jsoup: XML, and HTML that is none. */
public final class Pages {
    private static final String XML = "<?xml version=\"1.0\"?><!DOCTYPE list [<!ENTITY x 'y'>]><list xmlns:a=\"urn:a\">"
            + "<a:item id='1' a:kind=\"&lt;k&gt;\">one &amp; <b>two</b></a:item><!-- gone --><item id='2'><![CDATA[<raw>]]></item>"
            + "<item id='3'/></list>";
    private static final String HTML = "<title>T</title><p class='x y'>a<p>b<table><td>c<td>d</table><ul><li>1<li>2</ul>"
            + "<a href='/p?q=1&amp;r'>l</a><script>if (1 < 2) {}</script><b><i>wrong</b></i>&eacute;&nbsp;&#x20ac;";

    public static void main(String[] words) {
        Document xml = Jsoup.parse(XML, "", Parser.xmlParser());
        System.out.println(xml.outerHtml());
        for (Element item : xml.select("item, a|item")) {
            System.out.println(item.tagName() + " " + item.attr("id") + " " + item.text() + " " + item.attributes());
        }
        Document html = Jsoup.parse(HTML);
        System.out.println(html.body().html());
        for (String query : new String[] {"p.x", "td:eq(1)", "a[href^=/p]", "li:not(:first-child)", "ul > li ~ li", "::", "b i"}) {
            try {
                System.out.println(query + " " + html.select(query).eachText());
            } catch (Selector.SelectorParseException e) {
                System.out.println(query + " is no query");
            }
        }
        System.out.println(Jsoup.clean("<p onclick=x>a<script>b</script><a href='javascript:c'>d</a>", Safelist.basic()));
        int[] nodes = new int[2];
        html.traverse((NodeVisitor) (node, depth) -> {
            nodes[0]++;
            nodes[1] = Math.max(nodes[1], depth);
        });
        System.out.println(nodes[0] + " " + nodes[1]);
        html.select("p").wrap("<div class=w></div>").first().append("<em>e</em>").attr("k", "v").addClass("z");
        System.out.println(html.body().child(0).outerHtml());
    }

    private Pages() {}
}
