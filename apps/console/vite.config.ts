import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { precompress } from './precompress.ts';

const entry = path.join(import.meta.dirname, 'src/main.tsx');
/** Sends buyers on to a payment company; see src/pay/pay.ts. */
const payPage = path.join(import.meta.dirname, 'pay.html');
const page = path.join(import.meta.dirname, 'index.html');
const gateway = 'http://127.0.0.1:3000';

const groups = [
  // Libraries that change together are cached together; a screen's own libraries stay with the screen.
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'schemas', test: /node_modules\/zod\// },
  { name: frameName, debugName: 'frame' },
];

let frame: Set<string> | undefined;

/**
 * What the entry needs in any case is one file: dozens of small ones compress worse and each is a request.
 * Icons are left out, since the entry imports their index, which names all that any screen uses.
 */
function frameName(id: string, modules: Rolldown.ChunkingContext): string | null {
  frame ??= withImports(entry, modules);
  return frame.has(id) && id !== entry && !id.includes('@tabler') ? 'frame' : null;
}

function withImports(start: string, modules: Rolldown.ChunkingContext): Set<string> {
  const found = new Set([start]);
  for (const id of found)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** As the gateway does where the console is built. */
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
    // Every browser that runs es2022 knows modulepreload.
    modulePreload: { polyfill: false },
    // A data: address would be refused by the production CSP for fonts.
    assetsInlineLimit: 0,
    rolldownOptions: { input: [page, payPage], output: { codeSplitting: { groups } } },
  },
});
