import { expect, test } from 'vitest';
import { isFullDocument } from './custom-page.ts';

test.each([
  '<!doctype html><p>a',
  '\n  <!DOCTYPE HTML>',
  '<html lang="en">',
  '<!-- ours --> <html>',
  '<h1>a</h1><script>b()</script>',
  '<div><SCRIPT src="x"></SCRIPT></div>',
])('%s is a page of its own', (text) => {
  expect(isFullDocument(text)).toBe(true);
});

test.each(['', '# a', '<h1>a</h1>', 'a `<script>` in a sentence', '```html\n<!doctype html>\n```', '<htmlx>'])(
  '%s is a part of ours',
  (text) => {
    expect(isFullDocument(text)).toBe(false);
  },
);
