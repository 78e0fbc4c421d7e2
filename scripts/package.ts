/**
 * Builds the package `switchyard`, which `npx` runs: `npm run package`. The server's files one to one without their
 * types, because Node strips none inside `node_modules`; so the paths of threads, lists and fonts do not change.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listRuntimePackages, readLockFile } from './sbom.ts';

interface Manifest {
  version: string;
  description: string;
  license: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const root = join(import.meta.dirname, '..');
const SOURCES = ['apps/server/src', 'packages/contract/src', 'packages/relay/src'];
/** Files for tests only. */
const excludedFiles = /\.test\.ts$|\.d\.ts$|\/testing\/|\/fixture\.ts$/;
const PLAIN_FILES = [
  'LICENSE',
  'README.md',
  '.env.example',
  'apps/server/package.json',
  'apps/server/compile-cache.js',
  'apps/server/switchyard.js',
  'apps/console/dist',
];
const FILES_MIN = 600;

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Returns the path of a file that the relay exports under a name, from the repository's root. */
function resolveRelayFile(name: string | undefined): string {
  const { exports } = readJson<{ exports: Record<string, string> }>('packages/relay/package.json');
  const path = exports[name === undefined ? '.' : `./${name}`];
  if (path === undefined) throw new Error(`The relay exports no ${name}`);
  return join('packages/relay', path.replace(/\.ts$/, '.js'));
}

/** @param path path of the file, from the repository's root */
export function compileToScript(text: string, path: string): string {
  const here = dirname(path);
  const toFile = (target: string): string => {
    const way = relative(here, target);
    return way.startsWith('.') ? way : `./${way}`;
  };
  return stripTypeScriptTypes(text)
    .replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1')
    .replaceAll(
      /(['"])@switchyard\/contract\/([\w/-]+)\1/g,
      (_all, quote: string, name: string) => quote + toFile(`packages/contract/src/${name}.js`) + quote,
    )
    .replaceAll(
      /(['"])@switchyard\/relay(?:\/([\w-]+))?\1/g,
      (_all, quote: string, name?: string) => quote + toFile(resolveRelayFile(name)) + quote,
    );
}

function writeSources(folder: string): number {
  let count = 0;
  for (const source of SOURCES)
    for (const entry of readdirSync(join(root, source), { recursive: true, withFileTypes: true })) {
      const path = relative(root, join(entry.parentPath, entry.name));
      if (!entry.isFile() || excludedFiles.test(path)) continue;
      const target = join(folder, path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      if (path.endsWith('.ts')) writeFileSync(target, compileToScript(readFileSync(join(root, path), 'utf8'), path));
      else cpSync(join(root, path), target);
      count += 1;
    }
  if (count < FILES_MIN) throw new Error(`Only ${count} files of the server were found`);
  return count;
}

function writeManifests(folder: string): void {
  const product = readJson<Manifest>('package.json');
  const workspaces = ['apps/server', 'packages/contract', 'packages/relay'];
  const dependencies = Object.fromEntries(
    workspaces
      .flatMap((path) => Object.entries(readJson<Manifest>(`${path}/package.json`).dependencies ?? {}))
      .filter(([name]) => !name.startsWith('@switchyard/'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const optionalDependencies = product.optionalDependencies ?? {};
  const shared = {
    name: 'switchyard',
    version: product.version,
    license: product.license,
    dependencies,
    optionalDependencies,
    bin: { switchyard: 'apps/server/switchyard.js' },
    engines: { node: '>=20' },
  };
  const nodes = new Set(Object.keys(optionalDependencies).map((name) => `node_modules/${name}`));
  const packages = [
    ...listRuntimePackages(readLockFile),
    ...Object.entries(readLockFile.packages).filter(([path]) => nodes.has(path)),
  ];
  const elsewhere = packages.map(([path]) => path).filter((path) => !path.startsWith('node_modules/'));
  if (elsewhere.length > 0) throw new Error(`Not at the root of the lock file: ${elsewhere.join(' ')}`);
  writeJson(join(folder, 'package.json'), { ...shared, description: product.description, type: 'module' });
  writeJson(join(folder, 'npm-shrinkwrap.json'), {
    name: shared.name,
    version: shared.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': shared, ...Object.fromEntries(packages) },
  });
}

const writeJson = (path: string, value: object): void => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** @returns the folder of the package and the file that npm packs of it, both in `place` */
export function buildPackage(place = join(root, 'dist')): { folder: string; tarball: string } {
  const folder = join(place, 'package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('node', ['scripts/build-console-when-stale.ts'], { cwd: root, stdio: 'inherit' });
  writeSources(folder);
  for (const path of PLAIN_FILES) cpSync(join(root, path), join(folder, path), { recursive: true });
  writeManifests(folder);
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', place], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [result]: { filename: string }[] = JSON.parse(packed);
  if (result === undefined) throw new Error('npm packed nothing');
  return { folder, tarball: join(place, result.filename) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { folder, tarball } = buildPackage();
  console.log(`${relative(root, folder)}\n${relative(root, tarball)}`);
}
