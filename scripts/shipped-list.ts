/**
 * Writes a list that the product ships: a head with its source, and one line for each entry, so that a change
 * can be reviewed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** @param path path from the repository's root @param name name of the list in the file */
export function writeShippedList(path: string, name: string, entries: readonly object[], now: Date): void {
  const manifest: { version: string; license: string } = JSON.parse(
    readFileSync(join(root, 'node_modules/@pydantic/genai-prices/package.json'), 'utf8'),
  );
  const head = Object.entries({
    source: 'https://github.com/pydantic/genai-prices',
    version: manifest.version,
    licence: manifest.license,
    date: now.toISOString().slice(0, 10),
  }).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
  writeFileSync(join(root, path), ['{', ...head, `  "${name}": [`, lines, '  ]', '}', ''].join('\n'));
}
