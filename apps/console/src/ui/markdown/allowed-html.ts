/**
 * Allowlist of elements and attributes for Markdown and HTML. Only listed ones are kept, so that attributes
 * that browsers add later cannot load anything either. Names are in lower case for the sanitiser.
 */
type Rule = (value: string) => boolean;
type Rules = Readonly<Record<string, Rule>>;

const matches =
  (pattern: RegExp): Rule =>
  (value) =>
    pattern.test(value);

/** Text that browsers show and never interpret as a URL or CSS. */
const text: Rule = () => true;
const word = matches(/^[\w-]*$/);
const number = matches(/^[+-]?[\d.]+(?:%|px|em)?$/);
const numbers = matches(/^[\d\s.,+\-e%]*$/i);
/** Commands of a path: https://www.w3.org/TR/SVG2/paths.html#PathDataBNF */
const path = matches(/^[\d\s.,+\-a-z]*$/i);
const transform = matches(/^(?:(?:matrix|translate|scale|rotate|skewx|skewy)\([\d\s.,+\-e]*\)[\s,]*)*$/i);
/**
 * Colour, or a gradient or clip of the same document. Browsers parse these values as CSS, so no other
 * function and no escape is allowed.
 */
const paint = matches(/^(?:[\w\s.#%-]*|(?:rgb|hsl)a?\([\d\s.,%/-]*\)|url\(#[\w-]+\))$/i);

const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const link: Rule = (value) => LINK_PROTOCOLS.has(protocolOf(value));
/** URL of an image. SVG is not allowed, because it is a document, also in a data URL. */
const picture: Rule = (value) =>
  /^data:image\/(?:png|jpeg|webp|gif)[;,]/i.test(value) || /^https?:$/.test(protocolOf(value));

function protocolOf(address: string): string {
  return URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI).protocol : '';
}

const everywhere: Rules = { id: word, title: text, lang: word, dir: word };
const block: Rules = { align: word };
const cell: Rules = { ...block, valign: word, width: number, height: number, colspan: number, rowspan: number };
const shape: Rules = {
  fill: paint,
  stroke: paint,
  'clip-path': paint,
  transform,
  opacity: number,
  'fill-opacity': number,
  'stroke-opacity': number,
  'stroke-width': number,
  'stroke-dasharray': numbers,
  'stroke-linecap': word,
  'stroke-linejoin': word,
  'fill-rule': word,
};
const box: Rules = { x: number, y: number, width: number, height: number };
const svgText: Rules = {
  ...shape,
  x: numbers,
  y: numbers,
  dx: numbers,
  dy: numbers,
  'text-anchor': word,
  'font-size': number,
  'font-weight': word,
};
const gradient: Rules = { gradientunits: word, gradienttransform: transform, spreadmethod: word };
const math: Rules = { display: word, mathvariant: word, displaystyle: word };

const names = (list: string, rules: Rules = {}): Record<string, Rules> =>
  Object.fromEntries(list.split(' ').map((name) => [name, rules]));

const elements: Readonly<Record<string, Rules>> = {
  ...names('abbr article aside b bdi bdo big blockquote br center cite dd del dfn dl dt em figcaption figure'),
  ...names('footer header i ins kbd main mark nav pre q rp rt ruby s samp section small strike strong'),
  ...names('sub summary sup tt u ul var wbr picture'),
  ...names('div p h1 h2 h3 h4 h5 h6 hr span', block),
  ...names('table caption colgroup col thead tbody tfoot tr th td', cell),
  a: { href: link },
  // Language of a code block; other classes could imitate parts of the console.
  code: { class: matches(/^language-[\w+#.-]+$/) },
  details: { open: word },
  font: { color: paint, size: number },
  img: { src: picture, srcset: text, alt: text, width: number, height: number, align: word },
  li: { value: number },
  ol: { start: number, type: word, reversed: word },
  source: { srcset: text, media: text, width: number, height: number },
  time: { datetime: text },
  ...names('g defs', shape),
  ...names('desc'),
  svg: { ...shape, ...box, viewbox: numbers, preserveaspectratio: matches(/^[\w\s]*$/) },
  path: { ...shape, d: path },
  rect: { ...shape, ...box, rx: number, ry: number },
  circle: { ...shape, cx: number, cy: number, r: number },
  ellipse: { ...shape, cx: number, cy: number, rx: number, ry: number },
  line: { ...shape, x1: number, y1: number, x2: number, y2: number },
  ...names('polyline polygon', { ...shape, points: numbers }),
  ...names('text tspan', svgText),
  lineargradient: { ...gradient, x1: number, y1: number, x2: number, y2: number },
  radialgradient: { ...gradient, cx: number, cy: number, r: number, fx: number, fy: number },
  stop: { offset: number, 'stop-color': paint, 'stop-opacity': number },
  clippath: { transform, clippathunits: word },
  ...names('math mi mn mo ms mtext mspace mrow mfrac msqrt mroot msub msup msubsup', math),
  ...names('munder mover munderover mmultiscripts mprescripts mpadded mphantom mstyle mtable mtr mtd', math),
};

export const allowedElements: readonly string[] = Object.keys(elements);
export const allowedAttributes: readonly string[] = [
  ...new Set([everywhere, ...Object.values(elements)].flatMap((rules) => Object.keys(rules))),
];

/**
 * Returns whether an element may have an attribute with this value.
 * @param element in lower case
 * @param attribute in lower case
 */
export function isAllowedAttribute(element: string, attribute: string, value: string): boolean {
  const rules = Object.hasOwn(elements, element) ? elements[element] : undefined;
  if (rules === undefined) return false;
  const own = { ...everywhere, ...rules };
  return Object.hasOwn(own, attribute) && own[attribute]?.(value) === true;
}

const sheets = /<style[\s/>][\s\S]*?(?:<\/style\s*>|$)/gi;
const tags = /<[a-z](?:=\s*"[^"]*"|=\s*'[^']*'|[^>])*/gi;
const attributes = /=\s*"[^"]*"|=\s*'[^']*'|(?<=[\s"'/])(?:on[\w-]+|style)(?=\s*=)/gi;

/**
 * Removes event handlers and styles from HTML before parsing. The sanitiser makes HTML safe; this only
 * prevents the browser from reporting each of them as a CSP violation.
 */
export function stripInlineHandlers(html: string): string {
  return html
    .replace(sheets, '')
    .replace(tags, (tag) => tag.replace(attributes, (part) => (part.startsWith('=') ? part : 'data-off')));
}
