import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createPlaceholderResolver, formatPlaceholder, hasPlaceholder } from './placeholders.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-placeholders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const variables: Readonly<Record<string, string>> = { ONE: ' first\n', TWO: '${env:ONE} $& $1', BLANK: ' \n' };
const dataDir = join(folder, 'data');
const sources = { readVariable: (name: string) => variables[name], dataDir };
const fill = (text: string): string => createPlaceholderResolver(sources)(text);

test('variables and files replace placeholders anywhere in a text, with their unchanged content', () => {
  const file = join(folder, 'key');
  writeFileSync(file, 'sk-of-file\n');
  expect(fill(`${formatPlaceholder('ONE')}|\${file:${file}}`)).toBe('first|sk-of-file');
  expect(fill('http://u:${env:TWO}@h')).toBe('http://u:${env:ONE} $& $1@h');
  expect(fill('$ONE ${ONE} $env:ONE')).toBe('$ONE ${ONE} $env:ONE');
  expect([hasPlaceholder('a ${env:ONE}'), hasPlaceholder('a $ONE')]).toEqual([true, false]);
});

test('reports a missing variable or file by its name', () => {
  expect(() => fill('${env:NONE}')).toThrow('The variable NONE is not set');
  expect(() => fill('${env:BLANK}')).toThrow('The variable BLANK is not set');
  expect(() => fill('${file:key}')).toThrow('must begin with a slash');
  expect(() => fill(`\${file:${folder}}`)).toThrow(`The file ${folder} cannot be read (EISDIR)`);
});

describe('a file that a placeholder may not read', () => {
  mkdirSync(join(dataDir, 'works'), { recursive: true });
  mkdirSync(`${dataDir}-of-another`);
  for (const file of [join(dataDir, 'master.key'), join(dataDir, 'works', 'video'), `${dataDir}-of-another/key`])
    writeFileSync(file, 'canary');
  symlinkSync(join(dataDir, 'master.key'), join(folder, 'link'));
  symlinkSync(dataDir, join(folder, 'linked-folder'));
  symlinkSync('/proc/self/environ', join(folder, 'environment'));

  test.each([
    ['the master key', join(dataDir, 'master.key')],
    ['a file in a subfolder of the data folder', join(dataDir, 'works', 'video')],
    ['the data folder', dataDir],
    ['a path with dots', `${folder}/other/../data/master.key`],
    ['a path with doubled slashes', `${dataDir}//.//master.key`],
    ['a link to the master key', join(folder, 'link')],
    ['a link to the data folder', join(folder, 'linked-folder', 'master.key')],
    ['a missing file in the data folder', join(dataDir, 'missing')],
    ['the environment of the process', '/proc/self/environ'],
    ['a link to the environment', join(folder, 'environment')],
    ['a path to the environment with dots', '/etc/../proc/self/environ'],
    ['a device', '/dev/zero'],
    ['a folder of the system', '/sys/kernel'],
  ])('refuses %s', (_what, path) => {
    expect(() => fill(`a \${file:${path}}`)).toThrow(
      `The file ${path} belongs to the server or the system and cannot be used in a channel`,
    );
  });

  test('refuses the master key if the data folder is named by a link', () => {
    const fillByLink = createPlaceholderResolver({ ...sources, dataDir: join(folder, 'linked-folder') });
    expect(() => fillByLink(`\${file:${dataDir}/master.key}`)).toThrow('belongs to the server');
  });

  test('reads a file in a folder whose name only begins like the data folder', () => {
    expect(fill(`\${file:${dataDir}-of-another/key}`)).toBe('canary');
  });
});
