/** Builds the documentation site into dist/docs: `npm run docs`. Open index.html, or serve the folder. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSite } from './docs-site/build-site.ts';
import { root } from './docs-site/pages.ts';

const folder = join(root, 'dist/docs');
const { files } = buildSite();
rmSync(folder, { recursive: true, force: true });
for (const [address, content] of files) {
  const file = join(folder, address);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
console.log(`dist/docs: ${files.size} files`);
