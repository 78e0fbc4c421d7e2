import { expect, it } from 'vitest';
import {
  attributeNames,
  buildMarkup,
  elementContexts,
  listLoadingValues,
} from '../../../../../tests/security/markup-names.ts';
import { isAllowedAttribute } from './allowed-html.ts';
import { sanitizeHtml } from './sanitize-html.ts';

/** Attributes that browsers only show or follow on a click. `Markdown` turns external images into links. */
const harmless = new Set(['a href', 'img src', 'img srcset', 'source srcset', 'source media', 'time datetime']);
const shown = new Set(['title', 'alt']);

function sanitized(html: string): Element {
  const root = document.createElement('div');
  root.append(document.importNode(sanitizeHtml(html) ?? new DocumentFragment(), true));
  return root;
}

/** Matches a host, a path of the gateway or a CSS function that loads. */
const LOADS = /evil|\/api\/|\\|(?:url|image-set|cross-fade|src)\((?!#)/i;
const values = ['//evil.example/a', 'https://evil.example/a', '/api/user/logout'].flatMap(listLoadingValues);

const isHarmless = (element: string, name: string): boolean => shown.has(name) || harmless.has(`${element} ${name}`);

/** Returns the attributes that would still load something. */
const loadsOf = (root: Element): string[] =>
  [...root.querySelectorAll('*')].flatMap(({ localName, attributes }) =>
    [...attributes]
      .filter(({ name, value }) => !isHarmless(localName, name) && LOADS.test(value))
      .map(({ name, value }) => `${localName} ${name}=${value}`),
  );

it('allows no value that loads in any attribute of any element', () => {
  const allowed = elementContexts.flatMap(({ element }) =>
    attributeNames
      .filter((name) => !isHarmless(element, name))
      .flatMap((name) =>
        values
          .filter((value) => isAllowedAttribute(element.toLowerCase(), name.toLowerCase(), value))
          .map((value) => `${element} ${name}=${value}`),
      ),
  );
  expect(attributeNames.length).toBeGreaterThan(400);
  expect(elementContexts.length).toBeGreaterThan(200);
  expect(allowed).toEqual([]);
});

it('keeps nothing that loads in an element with every attribute', () => {
  for (const [nth, place] of elementContexts.entries()) {
    const root = sanitized(buildMarkup(place, (index) => values[(nth + index) % values.length] ?? ''));
    expect(loadsOf(root)).toEqual([]);
  }
});

it.each(['style', 'svg><style', 'math><style', 'noscript', 'template', 'xmp', 'title', 'svg><foreignObject'])(
  'keeps nothing of the content of <%s> that loads',
  (element) => {
    const root = sanitized(`<${element}>@import "//evil.example/a";<link href="//evil.example/b">`);
    expect(root.querySelector('style, link, template, foreignObject')).toBeNull();
  },
);

it('keeps drawings with their own colours and gradients, and formulas', () => {
  const drawing =
    '<svg viewBox="0 0 10 10"><defs><linearGradient id="warm"><stop offset="5%" stop-color="#f80"></stop></linearGradient></defs><path d="M0 0L9 9" fill="url(#warm)" stroke="rgb(1, 2, 3)" transform="rotate(45)"></path></svg>';
  const formula = '<math display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>';
  expect(sanitized(drawing + formula).innerHTML).toBe(drawing + formula);
});

it('keeps the elements that Markdown produces', () => {
  const html =
    '<h1>a</h1><ol start="2"><li>b</li></ol><table><thead><tr><th align="center">c</th></tr></thead></table><del>d</del><pre><code class="language-c++">e</code></pre><blockquote>f</blockquote>';
  expect(sanitized(html).innerHTML).toBe(html);
});

it('keeps nothing that could imitate the console', () => {
  const root = sanitized('<div class="MuiBackdrop-root" style="position:fixed" role="dialog" data-x="y">a</div>');
  expect(root.innerHTML).toBe('<div>a</div>');
});

it('opens every link in a new tab', () => {
  const root = sanitized('<a href="/price">a</a><svg><a href="https://example.org"><text>b</text></a></svg>');
  expect(root.querySelectorAll('a[target=_blank][rel="noopener noreferrer"]')).toHaveLength(2);
});

it.each([
  'javascript:a()',
  'java\tscript:a()',
  'vbscript:a',
  'data:text/html,a',
  'blob:null/a',
  'ftp://a',
  'view-source:a',
])('removes the link %j', (address) => {
  expect(sanitized(`<a href="${address}">x</a>`).querySelector('[href]')).toBeNull();
});
