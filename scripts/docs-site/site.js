/** Search, theme and menu. The pages work without it, but for the search. */
const element = document.documentElement;
const THEME = 'docs-theme';
const RESULTS_MAX = 12;
const AROUND = 60;
/** Set by the script of the index, which is loaded when somebody searches. */
globalThis.searchIndex = undefined;

const chosen = localStorage.getItem(THEME);
if (chosen !== null) element.dataset.theme = chosen;

/** How well an entry fits; 0 where a word is nowhere in it. */
function scoreOf([, title, heading, text], words) {
  let score = 0;
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word);
    const inHeading = heading.toLowerCase().includes(word);
    const inText = text.toLowerCase().includes(word);
    if (!inTitle && !inHeading && !inText) return 0;
    score += (inHeading ? 10 : 0) + (inTitle ? 4 : 0) + (inText ? 1 : 0);
    if (heading.toLowerCase() === word) score += 10;
  }
  return score;
}

function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return searchIndex
    .map((entry, at) => ({ entry, at, score: scoreOf(entry, words), word: words[0] }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, RESULTS_MAX);
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - AROUND);
  return `${at > 0 ? '…' : ''}${text.slice(at, at + 2.5 * AROUND)}`;
}

function textElement(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function resultLink({ entry: [address, title, heading, text], word }) {
  const link = document.createElement('a');
  link.href = `${element.dataset.base}/${address}`;
  link.setAttribute('role', 'option');
  link.append(
    textElement('strong', '', heading),
    textElement('span', 'of', title === heading ? '' : title),
    textElement('span', 'excerpt', excerpt(text, word)),
  );
  return link;
}

function prepareSearch() {
  const input = document.querySelector('.search input');
  const results = document.querySelector('#results');
  const show = () => {
    const query = input.value.trim();
    results.hidden = query === '' || searchIndex === undefined;
    if (results.hidden) return;
    const found = find(query).map(resultLink);
    results.replaceChildren(...(found.length > 0 ? found : [textElement('p', '', element.dataset.nothing)]));
  };
  const load = () => {
    if (document.querySelector('script[data-index]') !== null) return;
    const script = document.createElement('script');
    script.dataset.index = '';
    script.src = `${element.dataset.base}/${element.dataset.search}`;
    script.addEventListener('load', show);
    document.head.append(script);
  };
  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  const links = () => [...results.querySelectorAll('a')];
  document.querySelector('.search').addEventListener('keydown', (event) => {
    const all = links();
    const at = all.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      results.hidden = true;
      input.focus();
    } else if (event.key === 'Enter' && at === -1) all[0]?.click();
    else if (event.key === 'ArrowDown') (all[at + 1] ?? all[0])?.focus();
    else if (event.key === 'ArrowUp') (at > 0 ? all[at - 1] : input).focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input')) return;
    event.preventDefault();
    input.focus();
  });
}

function prepareTheme() {
  document.querySelector('.theme').addEventListener('click', () => {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const now = element.dataset.theme ?? (dark ? 'dark' : 'light');
    element.dataset.theme = now === 'dark' ? 'light' : 'dark';
    localStorage.setItem(THEME, element.dataset.theme);
  });
}

/** Scrolls the list alone: the page stays where its address says. */
function showCurrent() {
  const list = document.querySelector('nav');
  const current = list.querySelector('[aria-current]');
  if (current !== null) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

function prepareMenu() {
  const button = document.querySelector('.menu');
  button.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    button.setAttribute('aria-expanded', String(open));
    showCurrent();
  });
  showCurrent();
}

/** Marks the heading that is being read in the list beside the text. */
function prepareContents() {
  const links = new Map([...document.querySelectorAll('aside a')].map((link) => [link.hash.slice(1), link]));
  if (links.size === 0) return;
  const headings = [...document.querySelectorAll('article :is(h2, h3)[id]')];
  const mark = () => {
    const current = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    for (const [id, link] of links) link.classList.toggle('current', id === current.id);
  };
  let waiting = false;
  addEventListener(
    'scroll',
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

document.addEventListener('DOMContentLoaded', () => {
  prepareSearch();
  prepareTheme();
  prepareMenu();
  prepareContents();
});
