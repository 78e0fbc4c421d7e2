import { expect, test } from 'vitest';
import { isFullDocument } from './custom-page.ts';

test.each([
  '<!doctype html><p>a',
  '\n  <!DOCTYPE HTML>',
  '<html lang="en">',
  '<!-- ours --> <html>',
  '<h1>a</h1><script>b()</script>',
  '<div><SCRIPT src="x"></SCRIPT></div>',
])('reads %s as a full document', (text) => {
  expect(isFullDocument(text)).toBe(true);
});

test.each(['', '# a', '<h1>a</h1>', 'a `<script>` in a sentence', '```html\n<!doctype html>\n```', '<htmlx>'])(
  'reads %s as a fragment',
  (text) => {
    expect(isFullDocument(text)).toBe(false);
  },
);
