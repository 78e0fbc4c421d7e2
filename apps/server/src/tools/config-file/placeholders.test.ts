import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createPlaceholderResolver, formatPlaceholder, hasPlaceholder } from './placeholders.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-placeholders-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const variables: Readonly<Record<string, string>> = { ONE: ' first\n', TWO: '${env:ONE} $& $1', BLANK: ' \n' };
const sources = { readVariable: (name: string) => variables[name] };
const fill = (text: string): string => createPlaceholderResolver(sources)(text);

test('variables and files stand in for themselves anywhere in a text, and what they hold is taken as it is', () => {
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
