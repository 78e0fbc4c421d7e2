/** The product has few dependencies with exact versions, and none runs code at installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSbom, listRuntimePackages, readLockFile } from '../../scripts/sbom.ts';
import { reportMeasurement } from '../tier.ts';

/**
 * Packages that the running server loads. Most are those of Fastify, pino and WebAuthn; the aim is 40. A commit that
 * adds one raises this number and says why no present package suffices. The last 21: Stripe's own client; pdfkit with
 * what its fonts need (18, loaded only in the thread that draws a document) and a font with Chinese and Japanese; and
 * ws, because Node has no server side of WebSockets and undici's client side cannot make an upstream wait. Later: pg
 * and mysql2 with what they need (24, two of them types only), loaded only while an installation on such a database is
 * imported, because Node speaks neither protocol; and bcryptjs, loaded only in the thread that checks a password from
 * such an installation;
 * @redis/client, loaded only if nodes share their limits in Redis, for the same reason. And yaml, which the commands
 * load and the server does not, for configuration files with comments.
 */
const RUNTIME_PACKAGES_MAX = 151;
/** A tool of the tests, which looks for its native module. */
const mayRunOnInstall = ['node_modules/@swc/core', 'node_modules/protobufjs'];

const locked = Object.entries(readLockFile.packages).filter(([path]) => path.includes('node_modules/'));
const own = Object.entries(readLockFile.packages).filter(([path]) => !path.includes('node_modules/'));

test(`no more than ${RUNTIME_PACKAGES_MAX} packages are loaded at run time`, () => {
  const names = listRuntimePackages(readLockFile).map(([path]) => path);
  reportMeasurement('P21', `${names.length} packages at run time`);
  expect(names.length, names.join(' ')).toBeGreaterThan(10);
  expect(names.length, names.join(' ')).toBeLessThanOrEqual(RUNTIME_PACKAGES_MAX);
});

test('no package runs code at installation, except listed ones', () => {
  const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(running.map(([path]) => path)).toEqual(mayRunOnInstall);
});

test('every direct dependency has an exact version', () => {
  const named = own.flatMap(([path, { dependencies, devDependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).map(
      ([name, version]) => `${path || 'root'}: ${name}@${version}`,
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((line) => !/@\d+\.\d+\.\d+(-[\w.]+)?$/.test(line))).toEqual([]);
});

test('every package comes from a registry with its hash, and the lock file names no host', () => {
  const workspaces = new Set(own.map(([path]) => path));
  for (const [path, { integrity, link, resolved, version }] of locked) {
    if (link === true) {
      expect(workspaces, path).toContain(resolved);
      continue;
    }
    expect(resolved, path).toBeUndefined();
    expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
  }
  const text = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8');
  const withoutFunding = text.replace(/"funding": (?:\{[^}]*\}|\[[^\]]*\]|"[^"]*")/g, '');
  expect(withoutFunding.match(/(?:git|https?|ssh|file)[+\w]*:\/\/[^"]*/g) ?? []).toEqual([]);
});

test('the bill of materials names each loaded package with its hash and licence', () => {
  const { components } = createSbom(readLockFile);
  expect(components.length).toBe(listRuntimePackages(readLockFile).length);
  expect(components.find(({ name }) => name === '@fastify/static')).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/%40fastify\/static@\d+\.\d+\.\d+$/),
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  expect(components.filter(({ licenses }) => licenses.length === 0)).toEqual([]);
});
