import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, expect, test } from 'vitest';
import { createPlaceholderResolver } from './placeholders.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const createResolver = () =>
  createPlaceholderResolver({ readVariable: () => 'x'.repeat(60_000), dataDir: join(folder, 'data') });

test('searches a text of many beginnings once', () => {
  const text = '${env:'.repeat(300_000);
  const readCpuMs = startCpuTimer();
  expect(createResolver()(text)).toBe(text);
  expect(readCpuMs()).toBeLessThan(2_000);
});

test('stops at the limit of a text whose placeholders repeat a long secret', () => {
  const file = join(folder, 'long');
  writeFileSync(file, 'x'.repeat(65_536));
  expect(createResolver()(`\${file:${file}}`)).toHaveLength(65_536);
  const readCpuMs = startCpuTimer();
  for (const placeholder of [`\${file:${file}}`, '${env:X}'])
    expect(() => createResolver()(placeholder.repeat(100_000))).toThrow('the text has more than 65536 characters');
  expect(readCpuMs()).toBeLessThan(2_000);
});

test('stops at the limit of all texts together', () => {
  const resolve = createResolver();
  for (let nth = 0; nth < 139; nth += 1) expect(resolve('${env:X}')).toHaveLength(60_000);
  expect(() => resolve('${env:X}')).toThrow('have more than 8388608 characters; split the file');
});

test('reads each file once', () => {
  const file = join(folder, 'changing');
  writeFileSync(file, 'first');
  const resolve = createResolver();
  const texts = [resolve(`\${file:${file}}`)];
  writeFileSync(file, 'second');
  texts.push(resolve(`\${file:${file}}`));
  expect(texts).toEqual(['first', 'first']);
});
