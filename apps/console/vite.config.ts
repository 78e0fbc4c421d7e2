import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const compressible = /\.(js|css|svg)$/;
/** Smaller files gain less than the headers cost. */
const LEAST_BYTES = 1000;
/** Quality 11 takes three times as long for two percent. */
const BROTLI_QUALITY = 10;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes `x.js.br` and `x.js.gz` beside `x.js` for browsers that accept them. */
function precompress(): Plugin {
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

const entry = path.join(import.meta.dirname, 'src/main.tsx');
/** Page that redirects buyers to a payment provider; see src/pay/redirect-to-payment.ts. */
const payPage = path.join(import.meta.dirname, 'pay.html');
const page = path.join(import.meta.dirname, 'index.html');
const gateway = 'http://127.0.0.1:3000';

const source = (file: string): string => path.join(import.meta.dirname, 'src', file);
/** Parts for every signed-in user: the panel's frame, then the parts of lists. */
const parts = {
  panel: ['app/frame/panel-layout-and-drawer.tsx'],
  list: [
    'ui/table/data-table.tsx',
    'ui/filters/filter-bar.tsx',
    'ui/overlays/detail-drawer.tsx',
    'ui/actions/menu-panel.tsx',
  ],
};
/**
 * Modules that visitors' pages share with the parts above, kept apart so that visitors do not load the rest.
 */
const visitorParts = {
  home: ['app/frame/public-layout.tsx', 'features/site/home/home-page.tsx'],
  'sign-in': ['app/session/sign-in-page.tsx', 'features/accounts/sign-up/sign-up-page.tsx'],
};

/** Precedence matters: rolldown adds to a group all imports of its modules that no earlier group has. */
const partNames = ['frame', ...Object.keys(visitorParts), ...Object.keys(parts)];
const groups = [
  // Libraries that change together are cached together; a screen's own libraries stay with the screen.
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'schemas', test: /node_modules\/zod\// },
  ...partNames.map((part) => ({
    name: (id: string, modules: Rolldown.ChunkingContext) => (partOf(id, modules) === part ? part : null),
    debugName: part,
  })),
];

let known: Map<string, string> | undefined;

/**
 * Returns the output file of a module. Modules that are always needed together share a file, because many
 * small files compress worse and each is a request. Icons are left out: the entry imports their index, which
 * names the icons of every screen.
 */
function partOf(id: string, modules: Rolldown.ChunkingContext): string | undefined {
  known ??= findParts(modules);
  return known.get(id);
}

function findParts(modules: Rolldown.ChunkingContext): Map<string, string> {
  const needs = (files: readonly string[]): Set<string> =>
    new Set(files.flatMap((file) => [...withImports(file, modules)]));
  const names = new Map<string, string>();
  const name = (part: string, ids: ReadonlySet<string>): void => {
    for (const id of ids) if (!names.has(id)) names.set(id, part);
  };
  const signedIn = needs(Object.values(parts).flat().map(source));
  name('frame', needs([entry]));
  for (const [part, files] of Object.entries(visitorParts))
    name(part, new Set([...needs(files.map(source))].filter((id) => signedIn.has(id))));
  for (const [part, files] of Object.entries(parts)) name(part, needs(files.map(source)));
  for (const id of names.keys()) if (id === entry || id.includes('@tabler')) names.delete(id);
  return names;
}

/** @throws Error when the file is not part of the build */
function withImports(start: string, modules: Rolldown.ChunkingContext): Set<string> {
  if (modules.getModuleInfo(start) === null) throw new Error(`the build has no module for ${start}`);
  const found = new Set([start]);
  for (const id of found) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** Plugin that inserts the site's name during development; the gateway does that for the built console. */
const nameSite: Plugin = {
  name: 'name-site',
  apply: 'serve',
  transformIndexHtml: (page) => page.replaceAll('__SITE_NAME__', 'Switchyard'),
};

export default defineConfig({
  plugins: [react(), precompress(), nameSite],
  server: { proxy: { '/api': gateway, '/v1': gateway } },
  build: {
    target: 'es2022',
    manifest: true,
    // Every browser that supports es2022 supports modulepreload.
    modulePreload: { polyfill: false },
    // The production CSP forbids data URLs for fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [page, payPage],
      // The first load names hundreds of files, whose hashes don't compress.
      output: { chunkFileNames: 'assets/[name]-[hash:7].js', codeSplitting: { groups } },
    },
  },
});
