import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(js|css|svg)$/;
/** Smaller files gain less than their headers cost. */
const LEAST_BYTES = 1000;
/** The last step, 11, takes three times as long for two percent. */
const BROTLI_QUALITY = 10;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes `x.js.br` and `x.js.gz` beside `x.js`; the server sends them to browsers that take them. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const assets = path.join(dir, 'assets');
      const files = readdirSync(assets).map((name) => path.join(assets, name));
      const chosen = files.filter((file) => compressible.test(file) && statSync(file).size >= LEAST_BYTES);
      await Promise.all(chosen.map(compressFile));
    },
  };
}

async function compressFile(file: string): Promise<void> {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, gzipped] = await Promise.all([toBrotli(content, { params }), toGzip(content, { level: 9 })]);
  writeFileSync(`${file}.br`, brotli);
  writeFileSync(`${file}.gz`, gzipped);
}
