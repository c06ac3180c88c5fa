"""The words that developers name the parts of a page with, by topic.

They occur in classes, ids, roles, item properties and addresses. They are words of the markup, so
most are English whatever language a page is written in; the usual ones of some other languages are
listed too. A bar is the edge of a word: "|ad|" does not match "header". A word without bars matches
anywhere: "comment" matches "usercomments".
"""

# The words of each topic.
TOPIC_WORDS: dict[str, str] = {
    "content": "content inhalt contenu conteudo contenido contenuto icerik noidung konten tresc",
    "article": """
        article artikel articulo artigo articolo noticia nachricht |news| |news story |nota| baiviet berita
        haber
    """,
    "body": "|body| articlebody textbody bodytext |text| richtext |rte| prose wysiwyg |copy| cuerpo |texto |fliesstext",
    "entry": "|entry |single| hentry |page| pagecontent",
    "post": "|post| |posts| postcontent postbody postmessage |topic |thread",
    "main": "|main| maincontent maincol |primary| |center| haupt principal",
    "title": "title headline |heading| |titel |titulo |titre |hed| |subject",
    "lead": """
        |lead| |lede| standfirst |intro| summary |teaser |abstract| |dek| subtitle |excerpt |sapo| vorspann
        |chapo
    """,
    "byline": "byline |author| |authors| |autor |writer |auteur |tacgia |credit",
    "date": "|date| |time| |datetime| |timestamp| |datum |fecha |published |pubdate |updated |posted |thoigian",
    "meta": "|meta| |metadata| |info| |details| |stats| |infobar",
    "tags": "|tag| |tags| |taglist |keyword |label| |labels| |badge |topics| |hashtag",
    "category": "categor |kategori |rubri |section| |channel| |archive|",
    "comment": """
        comment |komment |comentario |commentaire |kommentar |disqus |fbcomments |binhluan |yorum |reaction
        |discuss
    """,
    "reply": "|reply |replies |respond |answer |response |antwort |respuesta",
    "user": "|user |member |profile |avatar |account |username |nick |poster| |userinfo",
    "signature": "|signature |sig| |postsignature",
    "quote": "|quote |blockquote |pullquote |citation |zitat",
    "related": """
        related relacionad |verwandt |recommend |similar |alsolike |youmay |morefrom |readmore |readnext |more|
        |moreon |suggest |outbrain |taboola |lienquan |mgid |zergnet |upnext |dont|miss
    """,
    "popular": """
        |popular |trending |mostread |mostviewed |latest |recent |top| |hot| |featured| |editor|s| |mostpopular
    """,
    "share": """
        |share |sharing |social |addthis |addtoany |facebook |twitter |whatsapp |follow |teilen |compartir
        |partager |sns
    """,
    "advert": """
        |ad| |ads| |adv| |advert |adslot |adunit |adbox |adwrap |sponsor |promo |banner |dfp |gpt| |googlead
        |publicidad |werbung |anzeige |quangcao |reklam
    """,
    "affiliate": "affiliate |deal| |deals| |offer| |offers| |coupon |discount",
    "newsletter": "newsletter |subscri |signup |optin |mailing |mailchimp |abonn",
    "login": "login |logon |signin |register |password |paywall |premium| |metered |regwall",
    "consent": "cookie consent gdpr |privacy |onetrust |didomi |cmp| |ccpa |truste",
    "popup": "modal |popup |overlay |lightbox |dialog |tooltip |dropdown |drawer |offcanvas |flyout |toast |snackbar",
    "navigation": "|nav| |navi |navbar |navigation |menu |megamenu |submenu |sitenav |topbar |toolbar |hamburger",
    "breadcrumb": "breadcrumb |crumb |brotkrume |youarehere |ariane",
    "pagination": "paginat |pager |pagenav |pagenum |prevnext |prev| |next| |loadmore |infinite",
    "header": "|header| |siteheader |masthead |pageheader |head| |topheader |cabecera",
    "footer": "footer |foot| |colophon |copyright |legal |imprint |impressum |disclaimer |terms|",
    "sidebar": """
        sidebar |side| |aside |rightcol |leftcol |rail| |rightrail |secondary |tertiary |sidenav |complementary
        |widget
    """,
    "search": "|search |suche |buscar |recherche |searchbox |filter |facet |sort| |refine",
    "form": "|form| |forms| |input |field |fieldset |select| |checkbox |radio| |contactform |wpcf |control",
    "button": "|button |btn |cta |call|to|action |callout",
    "card": "|card |tile |teasers |thumb |snippet |preview |blurb |feature| |features|",
    "list": "|list| |listing |lists |results |resultlist |feed| |stream |loop| |archive |river |itemlist",
    "item": "|item| |items| |listitem |entryitem |row| |rows| |cell|",
    "grid": "|grid |masonry |columns |col| |gallery |collection |catalog",
    "carousel": "carousel |slider |slide| |slides| |swiper |slick |owl |flickity |rotator |marquee |splide",
    "tab": "|tab| |tabs| |tabpanel |tabcontent |accordion |collaps |expand |toggle |panel |faq",
    "product": "product |produkt |producto |produit |woocommerce |shopify |sanpham |sku| |pdp |merch",
    "price": "price |preis |precio |prix |pricing |cost| |amount |currency |gia|",
    "cart": "|cart |basket |checkout |addtocart |buy| |buynow |wishlist |quantity |qty |purchase |shipping |delivery",
    "variant": "variant |swatch |option |options |color |colour |size| |sizes| |sizechart",
    "specification": "|spec| |specs |specification |attribute |technical |dimension |ingredient |nutrition",
    "description": "description |desc| |descrip |beschreibung |descripcion |overview |about| |longdesc",
    "review": """
        review |rating |stars| |testimonial |bewertung |feedback |valoracion |trustpilot |bazaarvoice |yotpo
        |opinion
    """,
    "caption": "caption |figure |figcap |image| |img| |photo |picture |bildunterschrift |media| |legend| |foto|",
    "video": "video |player |audio |podcast |youtube |vimeo |jwplayer |embed",
    "code": "|code |highlight |syntax |prism |hljs |codehilite |snippetcode |gist| |terminal |console",
    "documentation": """
        |doc| |docs| |documentation |markdown |sphinx |docusaurus |rst| |readme |manual |reference| |api| |wiki
        |mw| |mkdocs |theme|doc
    """,
    "contents": "|toc| |toctree |tableofcontents |outline |onthispage |localtoc |jumplink |anchor|nav",
    "edit": """
        |edit |permalink |headerlink |anchor| |anchorjs |print| |report |flag| |vote |score| |like| |likes|
        |upvote |karma
    """,
    "forum": """
        forum |phpbb |vbulletin |xenforo |discourse |message |msg |conversation |bbs| |bbp |bbpress |board|
        |crayons
    """,
    "question": "|question |qa| |qanda |faqs |frage |pregunta |cauhoi",
    "recipe": "recipe |instruction |method| |step| |steps| |rezept |receta |howto",
    "event": "|event |calendar |schedule |agenda |venue",
    "service": """
        |service |solution |benefit |hero| |jumbotron |landing |cta|section |homepage |client |partner |team|
        |whychoose |process
    """,
    "location": "|address |location |map| |contact |phone |telephone |store|locator |branch",
    "table": "|table |tbl |tabelle |datatable |infobox |scoreboard |standings |stat|",
    "hidden": """
        |hidden |hide |sr|only |screen|reader |screenreader |visually|hidden |visuallyhidden |offscreen
        |noprint |invisible |d|none |skip|link |skiplink |skip|to
    """,
    "notice": "|notice |alert |warning |message|box |error |info|box |announcement |admonition |note| |tip|",
}  # fmt: skip

TOPIC_NAMES: tuple[str, ...] = tuple(TOPIC_WORDS)
MOST_TOPICS = 64  # bits of a number
if len(TOPIC_NAMES) > MOST_TOPICS:
    raise ValueError(f"there can be {MOST_TOPICS} topics, not {len(TOPIC_NAMES)}")
