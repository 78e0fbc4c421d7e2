/** All elements and attributes that browsers know, to try each element with each attribute. */

/** https://html.spec.whatwg.org/multipage/indices.html#elements-3, and the obsolete ones of section 16.2. */
const htmlElements = `a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink
  blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div
  dl dt em embed fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header
  hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map mark marquee menu
  menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture
  portal pre progress q rb rp rt rtc ruby s samp search section select selectedcontent slot small source spacer span
  strike strong style sub summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul var
  video wbr`;

/** https://www.w3.org/TR/SVG11/eltindex.html, https://www.w3.org/TR/SVG2/eltindex.html and filter effects. */
const svgElements = `a altGlyph altGlyphDef altGlyphItem animate animateColor animateMotion animateTransform audio canvas
  circle clipPath color-profile cursor defs desc discard ellipse feBlend feColorMatrix feComponentTransfer feComposite
  feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG
  feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight
  feTile feTurbulence filter font font-face font-face-format font-face-name font-face-src font-face-uri foreignObject g
  glyph glyphRef hatch hatchpath hkern iframe image line linearGradient marker mask mesh meshgradient meshpatch meshrow
  metadata missing-glyph mpath path pattern polygon polyline radialGradient rect script set solidcolor stop style svg
  switch symbol text textPath title tref tspan unknown use video view vkern`;

/** https://www.w3.org/TR/mathml-core/ and https://www.w3.org/TR/MathML3/ (presentation). */
const mathElements = `math annotation annotation-xml maction maligngroup malignmark menclose merror mfenced mfrac mglyph mi
  mlabeledtr mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mscarries mscarry msgroup msline
  mspace msqrt msrow mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics`;

/** https://html.spec.whatwg.org/multipage/indices.html#attributes-3, obsolete and proposed ones; no event handlers. */
const htmlAttributes = `abbr accept accept-charset accesskey action align alink allow allowfullscreen alt archive as async
  attributionsrc autocapitalize autocomplete autofocus autoplay axis background behavior bgcolor blocking border
  bordercolor cellpadding cellspacing char charset checked cite class classid clear clip code codebase codetype color cols
  colspan command commandfor compact content contenteditable controls coords credentialless crossorigin csp data
  datafld datasrc datetime declare decoding default defer dir dirname disabled download draggable dynsrc elementtiming
  enctype enterkeyhint exportparts face fetchpriority for form formaction formenctype formmethod formnovalidate formtarget
  frame frameborder headers height hidden high href hreflang http-equiv icon id imagesizes imagesrcset importance inert
  inputmode integrity is ismap itemid itemprop itemref itemscope itemtype kind label lang language link list loading
  longdesc loop low lowsrc manifest marginheight marginwidth max maxlength media method min minlength multiple muted name
  nohref nomodule nonce noshade novalidate nowrap object open optimum part pattern ping placeholder playsinline pluginspage
  popover popovertarget popovertargetaction poster preload profile prompt property readonly referrerpolicy rel required
  rev reversed rows rowspan rules sandbox scheme scope scrolling selected shadowrootmode shape size sizes slot span
  spellcheck src srcdoc srclang srcset standby start step style summary tabindex target text title translate type
  usemap valign value valuetype version vlink vspace width wrap writingsuggestions xmlns`;

/** https://www.w3.org/TR/SVG2/attindex.html and https://www.w3.org/TR/SVG2/propidx.html. */
const svgAttributes = `alignment-baseline amplitude attributeName attributeType azimuth baseFrequency baseline-shift begin by
  calcMode clip-path clip-rule clipPathUnits color-interpolation color-interpolation-filters color-profile contentScriptType
  contentStyleType cursor cx cy d diffuseConstant direction display divisor dominant-baseline dur dx dy edgeMode elevation
  enable-background end exponent externalResourcesRequired fill fill-opacity fill-rule filter filterRes filterUnits
  flood-color flood-opacity font-family font-size font-size-adjust font-stretch font-style font-variant font-weight format
  fr from fx fy g1 g2 glyph-name glyph-orientation-horizontal glyph-orientation-vertical glyphRef gradientTransform
  gradientUnits href image-rendering in in2 intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength kerning keyPoints
  keySplines keyTimes lengthAdjust letter-spacing lighting-color limitingConeAngle local marker marker-end marker-mid
  marker-start markerHeight markerUnits markerWidth mask mask-image mask-border mask-border-source mask-type
  maskContentUnits maskUnits mode numOctaves offset offset-path opacity operator order orient overflow paint-order
  path pathLength patternContentUnits patternTransform patternUnits pointer-events points pointsAtX pointsAtY pointsAtZ
  preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY rendering-intent repeatCount repeatDur restart
  result rotate rx ry scale seed shape-inside shape-rendering shape-subtract side spacing specularConstant
  specularExponent spreadMethod startOffset stdDeviation stitchTiles stop-color stop-opacity stroke stroke-dasharray
  stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width surfaceScale systemLanguage
  tableValues targetX targetY text-anchor text-decoration text-overflow text-rendering textLength to transform
  transform-origin unicode-bidi values vector-effect vert-adv-y viewBox viewTarget visibility white-space word-spacing
  writing-mode x x1 x2 xChannelSelector xlink:actuate xlink:arcrole xlink:href xlink:role xlink:show xlink:title xlink:type
  xml:base xml:lang xml:space y y1 y2 yChannelSelector z zoomAndPan`;

/** https://www.w3.org/TR/MathML3/appendixi.html */
const mathAttributes = `accent accentunder actiontype altimg altimg-height altimg-width altimg-valign alttext bevelled
  cdgroup close columnalign columnlines columnspacing columnspan decimalpoint definitionURL denomalign depth display
  displaystyle encoding fence form framespacing largeop linebreak linethickness lspace lquote mathbackground mathcolor
  mathsize mathvariant maxsize minsize movablelimits notation numalign rowalign rowlines rowspacing rquote rspace
  scriptlevel scriptminsize scriptsizemultiplier selection separator separators stretchy subscriptshift supscriptshift
  symmetric voffset`;

const splitNames = (...lists: string[]): string[] => [...new Set(lists.flatMap((list) => list.trim().split(/\s+/)))];

export const attributeNames = splitNames(htmlAttributes, svgAttributes, mathAttributes);

/** Each element within the one that makes the parser read it in its language. */
export const elementContexts: readonly { element: string; before: string; after: string }[] = [
  ...splitNames(htmlElements).map((element) => ({ element, before: '<div>', after: '</div>' })),
  ...splitNames(svgElements).map((element) => ({ element, before: '<svg>', after: '</svg>' })),
  ...splitNames(mathElements).map((element) => ({ element, before: '<math>', after: '</math>' })),
];

/** Values that make a browser load from `address`, as an address, in CSS and in CSS with escapes. */
export function listLoadingValues(address: string): string[] {
  return [
    address,
    `url(${address})`,
    `url('${address}#a')`,
    `u\\72l(${address})`,
    `red url(${address})`,
    `image-set('${address}' 1x)`,
    `-webkit-image-set(url(${address}) 1x)`,
    `cross-fade(url(${address}), red)`,
    `src('${address}')`,
    `background:url(${address})`,
    `@import '${address}'`,
    `${address} 1x, ${address} 2x`,
    `0;url=${address}`,
    `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${address}'/></svg>`,
  ];
}

/**
 * Returns the element with every attribute. It begins with `<div>`, so that Markdown passes it on as a block of HTML.
 */
export function buildMarkup(
  { element, before, after }: (typeof elementContexts)[number],
  valueOf: (attributeIndex: number) => string,
): string {
  const attributes = attributeNames.map((name, index) => `${name}="${valueOf(index)}"`).join(' ');
  return `<div>${before}<${element} ${attributes}>x</${element}>${after}</div>`;
}
