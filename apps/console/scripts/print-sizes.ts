/**
 * Prints the gzipped JavaScript size of each first load and screen, and fails when one exceeds its budget.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  src?: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}
type Manifest = Record<string, Chunk>;

const dist = path.join(import.meta.dirname, '../dist');
const manifest = JSON.parse(readFileSync(path.join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;

// Budgets in gzipped kB. README.md, "Weight", explains why signed-out pages exceed the planned 180 kB.
const budgets = { home: 204, signIn: 214, shell: 300, screen: 120 };

/** Returns the manifest keys of a chunk and of everything that it imports statically. */
function withImports(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key]?.imports ?? []) withImports(next, seen);
  return seen;
}

function kilobytes(keys: Iterable<string>): number {
  let bytes = 0;
  for (const key of keys) {
    const file = manifest[key]?.file ?? '';
    if (file.endsWith('.js')) bytes += gzipSync(readFileSync(path.join(dist, file))).length;
  }
  return bytes / 1000;
}

function keyOf(source: string): string {
  const key = Object.keys(manifest).find((name) => manifest[name]?.src === source);
  if (key === undefined) throw new Error(`the build has no ${source}`);
  return key;
}

function union(...sources: string[]): Set<string> {
  const all = new Set<string>();
  for (const source of sources) withImports(keyOf(source), all);
  return all;
}
const words = (...features: string[]) => features.map((feature) => `src/i18n/en_US/${feature}.json`);

const everywhere = ['index.html', ...words('common', 'errors', 'shell')];
const home = union(...everywhere, 'src/features/site/home/home-page.tsx', ...words('home'));
const signIn = union(...everywhere, 'src/app/session/sign-in-page.tsx', ...words('sign-in'));
// The panel renders only after the session client has parsed the signed-in user.
const shell = union(
  ...everywhere,
  'src/app/frame/panel-layout-and-drawer.tsx',
  'src/features/accounts/session/session-client.ts',
);
const screens = Object.values(manifest)
  .map(({ src }) => src ?? '')
  .filter((src) => /^src\/features\/.*-pages?(-and-[a-z-]+)?\.tsx$/.test(src));

const lines: [what: string, size: number, budget: number][] = [
  ['signed-out first load: home', kilobytes(home), budgets.home],
  ['signed-out first load: sign-in', kilobytes(signIn), budgets.signIn],
  ['panel shell', kilobytes(shell), budgets.shell],
  ...screens.map((src): [string, number, number] => [
    src.replace('src/features/', '+ '),
    kilobytes(union(src).difference(src.includes('sign-in') ? union('index.html') : shell)),
    budgets.screen,
  ]),
];

for (const [what, size, budget] of lines) {
  process.stdout.write(
    `${size.toFixed(1).padStart(7)} kB of ${budget}  ${what}${size > budget ? '  TOO LARGE' : ''}\n`,
  );
}
if (lines.some(([, size, budget]) => size > budget)) process.exitCode = 1;
