import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.pattern.PatternCaptureGroupTokenFilter;
import org.apache.lucene.analysis.Tokenizer;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.analysis.AbstractTokenFilterFactory;
import org.opensearch.index.analysis.AbstractTokenizerFactory;
import org.opensearch.index.analysis.TokenFilterFactory;
import org.opensearch.index.analysis.TokenizerFactory;
import org.opensearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.AnalysisPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** A node of OpenSearch: its server, its HTTP, and what its module analysis-common has of what Homeport asks for. */
public final class SearchNode extends Node {
  private SearchNode(Environment environment) {
    super(environment, List.<Class<? extends Plugin>>of(Netty4Plugin.class, Analysis.class), false);
  }

  /** @param arguments a directory for the data, and a port */
  public static void main(String[] arguments) throws Exception {
    Settings settings = Settings.builder()
        .put("path.home", arguments[0])
        .put("http.port", arguments[1])
        .put("transport.port", "0")
        .put("network.host", "127.0.0.1")
        .put("discovery.type", "single-node")
        .put("node.name", "test")
        .put("cluster.name", "test")
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .put("node.processors", 1)
        .build();
    Node node = new SearchNode(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "test"));
    node.start();
    System.out.println("ready");
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  public static final class Analysis extends Plugin implements AnalysisPlugin {
    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
      return Map.of("whitespace", Whitespace::new);
    }

    @Override
    public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
      return Map.of("pattern_capture", AnalysisPlugin.requiresAnalysisSettings(PatternCapture::new));
    }
  }

  private static final class Whitespace extends AbstractTokenizerFactory {
    private final int longest;

    Whitespace(IndexSettings index, Environment environment, String name, Settings settings) {
      super(index, settings, name);
      longest = settings.getAsInt("max_token_length", 255);
    }

    @Override
    public Tokenizer create() {
      return new WhitespaceTokenizer(TokenStream.DEFAULT_TOKEN_ATTRIBUTE_FACTORY, longest);
    }
  }

  private static final class PatternCapture extends AbstractTokenFilterFactory {
    private final boolean keepsOriginal;
    private final Pattern[] patterns;

    PatternCapture(IndexSettings index, Environment environment, String name, Settings settings) {
      super(index, name, settings);
      keepsOriginal = settings.getAsBoolean("preserve_original", true);
      patterns = settings.getAsList("patterns").stream().map(Pattern::compile).toArray(Pattern[]::new);
    }

    @Override
    public TokenStream create(TokenStream words) {
      return new PatternCaptureGroupTokenFilter(words, keepsOriginal, patterns);
    }
  }
}
