import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Markdown } from './markdown.tsx';

const section = [
  '## Part\n\nSome **bold** words, `code` and [a link](https://example.org) in a line of usual length.\n\n',
  '- one\n- two\n  - three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst x = 1;\n```\n\n',
].join('');

function shown(text: string) {
  const before = process.threadCpuUsage();
  const { container } = render(<Markdown text={text} />);
  return { container, milliseconds: process.threadCpuUsage(before).user / 1000 };
}

it('shows text that is nested too deeply as it is', () => {
  const nestedList = Array.from({ length: 2000 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
  for (const text of [`${'>'.repeat(6000)} a`, nestedList, `${'- > '.repeat(500)}a`, `${'- '.repeat(500)}a`]) {
    const { container, milliseconds } = shown(text);
    expect(container.textContent).toBe(text);
    expect(container.querySelector('blockquote, li')).toBeNull();
    expect(milliseconds).toBeLessThan(1000);
  }
});

it('renders a long ordinary text as Markdown', () => {
  const count = Math.ceil(100_000 / section.length);
  const { container, milliseconds } = shown(section.repeat(count));
  expect(container.querySelectorAll('h2')).toHaveLength(count);
  expect(container.querySelectorAll('strong')).toHaveLength(count);
  expect(container.querySelectorAll('li li')).toHaveLength(count);
  expect(milliseconds).toBeLessThan(10_000);
});

it('parses endless words, runs of open marks and long lines quickly', () => {
  for (const text of ['_a'.repeat(50_000), '_a '.repeat(30_000), 'QUJD'.repeat(25_000), '**_'.repeat(30_000)]) {
    const { container, milliseconds } = shown(`# Title\n\n${text}`);
    expect(container.querySelector('h1')).not.toBeNull();
    expect(container.querySelector('p')?.textContent?.trim()).toBe(text.trim());
    expect(milliseconds).toBeLessThan(2000);
  }
});

it('shows an image with a data URL', () => {
  const { container } = shown(`![a](data:image/png;base64,${'QUJD'.repeat(100_000)})`);
  expect(container.querySelector('img')?.getAttribute('src')).toHaveLength(400_022);
});

it('renders deep but plausible nesting, rules and code as Markdown', () => {
  const list = Array.from({ length: 12 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
  const { container } = shown(
    `${list}\n\n${'>'.repeat(12)} b\n\n${'- '.repeat(80)}\n\n\`\`\`\n${' '.repeat(200)}c\n\`\`\`\n`,
  );
  expect(container.querySelectorAll('li')).toHaveLength(12);
  expect(container.querySelectorAll('blockquote')).toHaveLength(12);
  expect(container.querySelectorAll('hr, pre')).toHaveLength(2);
});

it('shows HTML without anything that could run', () => {
  const { container } = shown(
    '<p onclick="a()" style="color:red">b <img src=x onerror=a()><br>c</p>\n\n[d](javascript:a())',
  );
  expect(container.innerHTML).not.toMatch(/onclick|onerror|style|javascript/);
  expect(container.querySelector('p br')).not.toBeNull();
});

it('shows external images in operators’ texts and only links to them elsewhere', () => {
  const text =
    '![cat](https://example.org/cat.png)\n\n<picture><source srcset="https://example.org/a.png"><img src="https://example.org/b.png"></picture>';
  expect(render(<Markdown text={text} pictures />).container.querySelectorAll('img')).toHaveLength(2);
  const { container } = render(<Markdown text={text} />);
  expect(container.querySelector('img, source, picture')).toBeNull();
  expect(container.querySelector('a')?.href).toBe('https://example.org/cat.png');
  expect(container.querySelector('a')?.textContent).toBe('cat');
});

it('shows HTML that forms a document without a body as it is', () => {
  const { container } = shown('<frameset onload=a()>');
  expect(container.textContent).toBe('<frameset onload=a()>');
});

it('shows embedded images, but no SVG or HTML document', () => {
  const { container } = shown(
    '![a](data:image/png;base64,AAAA) ![b](data:image/svg+xml;base64,PHN2Zz4=) ![c](data:text/html,x)',
  );
  expect([...container.querySelectorAll('img')].map((img) => img.getAttribute('src'))).toEqual([
    'data:image/png;base64,AAAA',
  ]);
});
