import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { markNames, providerLogo } from './provider-logos.ts';

const icons = path.join(import.meta.dirname, '../../../../../node_modules/@lobehub/icons-static-svg/icons');

/** Returns a logo's SVG; Vite inlines small ones as data URLs. */
function drawing(url: string): string {
  if (url.startsWith('data:')) return decodeURIComponent(url);
  return readFileSync(path.join(icons, path.basename(url)), 'utf8');
}

it('contains no `currentColor` in coloured logos, which an image cannot inherit', () => {
  const coloured = markNames.flatMap((name) => {
    const logo = providerLogo(name);
    return logo?.colour === true ? [{ name, drawing: drawing(logo.url) }] : [];
  });
  expect(coloured.length).toBeGreaterThan(30);
  for (const mark of coloured) expect(mark.drawing).toContain('svg');
  expect(coloured.filter((mark) => mark.drawing.includes('currentColor')).map(({ name }) => name)).toEqual([]);
});
