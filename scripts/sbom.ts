// Prints the run-time packages as CycloneDX 1.6 JSON, from the lock file: node scripts/sbom.ts > sbom.json
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface LockedPackage {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  version: string;
  packages: Record<string, LockedPackage>;
}

export const readLockFile = JSON.parse(
  readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'),
) as LockFile;

/** Packages that are installed with the product and loaded by it, without Node itself, which is optional. */
export function listRuntimePackages({ packages }: LockFile): [path: string, locked: LockedPackage][] {
  return Object.entries(packages).filter(
    ([path, { link, dev, devOptional, optional }]) =>
      path.includes('node_modules/') && !(link ?? dev ?? devOptional ?? optional ?? false),
  );
}

/** Licences of packages that declare none, from their licence files. */
const licenceInFile: Readonly<Record<string, string>> = { 'png-js@2.0.0': 'MIT' };

export function createSbom(lock: LockFile) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'switchyard', version: lock.version } },
    components: listRuntimePackages(lock).map(([path, { version = '', integrity = '', license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const licence = license ?? licenceInFile[`${name}@${version}`];
      const [algorithm = '', digest = ''] = integrity.split('-', 2);
      return {
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        licenses: licence === undefined ? [] : [{ expression: licence }],
        hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
      };
    }),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(createSbom(readLockFile), null, 2));
