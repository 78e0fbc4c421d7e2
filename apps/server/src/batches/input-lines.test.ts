import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { processLine, readInputLines, readLine } from './input-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-lines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'in.jsonl');
const LINE_MAX_BYTES = 1_000_000;
/** Longer than a chunk of the file. */
const long = 'ü'.repeat(100_000);

test('keeps only short lines, and reads each as the file contains it', async () => {
  writeFileSync(path, `\uFEFF${['first', '', long, 'short', `${long}!`, 'last'].join('\r\n')}`);
  const found: unknown[] = [];
  for await (const line of readInputLines(path, LINE_MAX_BYTES)) {
    const content = await readLine(path, line);
    found.push([line.number, line.content !== undefined, content.toString().trim()]);
  }
  expect(found).toEqual([
    [1, true, 'first'],
    [3, false, long],
    [4, true, 'short'],
    [5, false, `${long}!`],
    [6, true, 'last'],
  ]);
});

test('paces work on a line with many values, however long the others are', async () => {
  const texts = ['{}', `[${'1,'.repeat(50_000)}1]`, `"${long}"`, `[${'{},'.repeat(5_000)}{}]`];
  writeFileSync(path, texts.join('\n'));
  const paced: number[] = [];
  const worked: string[] = [];
  for await (const line of readInputLines(path, LINE_MAX_BYTES)) {
    const runPaced = async <T>(work: () => T): Promise<T> => {
      paced.push(line.number);
      return work();
    };
    worked.push(await processLine({ path, runPaced }, line, (content) => content.toString()));
  }
  expect(worked).toEqual(texts);
  expect(paced).toEqual([2, 4]);
});

test('reports a file that is gone when a long line is to be read', async () => {
  writeFileSync(path, long);
  for await (const line of readInputLines(path, LINE_MAX_BYTES)) {
    rmSync(path);
    await expect(readLine(path, line)).rejects.toMatchObject({ inputError: { code: 'file_not_found' } });
  }
});
