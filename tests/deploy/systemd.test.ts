/** The unit for systemd is valid, isolated, and waits for the drain. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../apps/server/src/config.ts';
import { findProgram } from './find-program.ts';

const folder = join(import.meta.dirname, '../../deploy/systemd');
const unit = readFileSync(join(folder, 'switchyard.service'), 'utf8');
const analyze = findProgram('systemd-analyze');
/** On systemd's own scale, on which 10 is a service without isolation. */
const EXPOSURE_MAX = 2;

/** The unit with an existing program. */
function placed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'switchyard.service');
  writeFileSync(file, unit.replace('/opt/switchyard/node_modules/.bin/switchyard start', '/bin/true'));
  return file;
}

test('systemd reports no problem', ({ skip }) => {
  skip(analyze === undefined, 'systemd is not here');
  const { status, stderr } = spawnSync(analyze ?? '', ['verify', '--man=no', placed()], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test(`systemd rates its exposure as ${EXPOSURE_MAX} at most`, ({ skip }) => {
  skip(analyze === undefined, 'systemd is not here');
  const output = execFileSync(analyze ?? '', ['security', '--offline=yes', '--no-pager', placed()], {
    encoding: 'utf8',
  });
  const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(output)?.[1]);
  expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
});

test('it waits longer than the drain, and signals once', () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
  expect(seconds).toBeGreaterThan(readConfig({}).drainSeconds + 5);
  expect(unit).toContain('KillMode=mixed');
});

test('its environment file names existing variables', () => {
  const names = [...readFileSync(join(folder, 'switchyard.env'), 'utf8').matchAll(/^#?([A-Z_]+)=/gm)];
  const documented = readFileSync(join(folder, '../../.env.example'), 'utf8');
  expect(names.length).toBeGreaterThan(3);
  expect(names.map(([, name]) => name).filter((name) => !documented.includes(`#${name}=`))).toEqual([]);
});
