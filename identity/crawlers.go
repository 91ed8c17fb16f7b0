package identity

import (
	"fmt"
	"strings"

	"github.com/collyetiquette/etiquette/internal/token"
)

// crawlers are product tokens that belong to somebody, as of August 2026, folded: search engines, archives, and those that site owners name
// when they turn AI crawlers away. They are never fetched while a program runs.
var crawlers = setOf(`
	Googlebot Googlebot-Image Googlebot-News Googlebot-Video Storebot-Google AdsBot-Google AdsBot-Google-Mobile Mediapartners-Google
	APIs-Google FeedFetcher-Google Google-Extended Google-InspectionTool Google-Safety Google-Agent Google-CloudVertexBot Google-Firebase
	Google-Gemini-CLI Google-NotebookLM GoogleAgent-Mariner GoogleOther GoogleOther-Image GoogleOther-Video CloudVertexBot
	Gemini-Deep-Research NotebookLM
	bingbot BingPreview msnbot adidxbot AzureAI-SearchBot Slurp DuckDuckBot DuckAssistBot Baiduspider YandexBot YandexImages
	YandexAdditional YandexAdditionalBot Sogou Sosospider Yeti SeznamBot Qwantbot MojeekBot Bravebot kagi-fetcher PetalBot coccocbot
	Applebot Applebot-Extended ia_archiver heritrix CCBot AhrefsBot SemrushBot SemrushBot-OCOB SemrushBot-SWA DotBot rogerbot BLEXBot
	Twitterbot LinkedInBot Pinterestbot Slackbot Discordbot TelegramBot WhatsApp facebookexternalhit facebookcatalog FacebookBot
	meta-externalagent meta-externalfetcher meta-webindexer
	GPTBot ChatGPT-User OAI-SearchBot OpenAI ClaudeBot Claude-Code Claude-SearchBot Claude-User Claude-Web anthropic-ai PerplexityBot
	Perplexity-User Amazonbot AmazonBuyForMe Amzn-SearchBot Amzn-User amazon-kendra NovaAct bedrockbot Bytespider TikTokSpider
	DeepSeekBot ChatGLM-Spider PanguBot cohere-ai cohere-training-data-crawler MistralAI-User Manus-User Diffbot YouBot PhindBot
	Timpibot ImagesiftBot imageSpider omgili omgilibot Webzio-Extended AddSearchBot aiHitBot AgentTimes Andibot Anomura ApifyBot
	ApifyWebsiteContentCrawler Aranet-SearchBot atlassian-bot Awario Brightbot BuddyBot Cloudflare-AutoRAG Cotoyogi Crawlspace
	EchoboxBot ExaBot Factset_spyderbot FirecrawlAgent FriendlyCrawler HenkBot iAskBot iaskspider IbouBot ICC-Crawler
	ISSCyberRiskCrawler KlaviyoAIBot KunatoCrawler laion-huggingface-processor LAIONDownloader LinerBot LinkupBot
	MyCentralAIScraperBot NagetBot newsai Panscient Poggio-Citations QualifiedBot QuillBot SBIntuitionsBot Shap-User ShapBot
	TavilyBot TerraCotta Thinkbot TwinAgent VelenPublicWebCrawler WARDBot wpbot WRTNBot ZanistaBot`)

// wordCrawlers are such tokens that are words of their own as well. In the text of a comment they say nothing.
var wordCrawlers = setOf("Code Devin LCC Operator opencode Spider Trae YaK")

// unaddressable are names of crawlers that are no product tokens. A reader of robots.txt cuts them at the first octet that a token
// cannot hold, and so rules for them become rules for the stump.
var unaddressable = []string{
	"AI2Bot", "Ai2Bot-Dolma", "archive.org_bot", "bigsur.ai", "Brightbot 1.0", "Channel3Bot", "ChatGPT Agent", "Crawl4AI", "Datenbank Crawler",
	"Echobot Bot", "iaskspider/2.0", "img2dataset", "Kangaroo Bot", "Linguee Bot", "MistralAI-User/1.0", "netEstate Imprint Crawler",
	"panscient.com", "Poseidon Research Crawler", "quillbot.com", "Sidetrade indexer bot", "Terra Cotta",
}

func impersonated(r *reading) string {
	mine := func(name string) bool { return r.given && token.Equal(name, r.token) }
	for _, name := range namesIn(r.ua) {
		if crawlers[token.Fold(name)] && !mine(name) {
			return somebodyElse(name)
		}
	}
	for _, p := range r.products {
		if wordCrawlers[token.Fold(p.name)] && (p.versioned || token.Equal(p.name, r.token)) && !mine(p.name) {
			return somebodyElse(p.name)
		}
	}
	return ""
}

func somebodyElse(name string) string {
	return fmt.Sprintf("%q is somebody else's crawler: take a name of your own (RFC 9110, 10.1.5)", name)
}

// namesIn lists all that a reader could take for a product token, whatever stands around it: quotation marks, brackets, an equals sign. Words within URLs and
// addresses are none.
func namesIn(ua string) []string {
	var names []string
	for word := range strings.FieldsFuncSeq(ua, endsContact) {
		if at := strings.Index(strings.ToLower(word), "http"); at >= 0 && strings.Contains(word[at:], "://") {
			word = word[:at]
		} else if c, ok := mailContact(word); ok {
			word = strings.Replace(word, c.text, " ", 1)
		}
		names = append(names, strings.FieldsFunc(word, func(r rune) bool { return !isAlnum(r) && r != '_' && r != '-' })...)
	}
	return names
}

func stump(r *reading) string {
	for _, name := range unaddressable {
		if r.token != "" && token.Equal(token.Cut(name), r.token) {
			return fmt.Sprintf("rules for %q will be read as rules for %q: a longer name avoids that", name, r.token)
		}
	}
	return ""
}
