import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LINES_MAX, validateInput } from './validate-input.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-input-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENDPOINT = '/v1/embeddings';
const terms = { endpoint: ENDPOINT, lineMaxBytes: 1_000, signal: new AbortController().signal };
const line = (custom_id: unknown, more: object = {}, body: object = {}): string =>
  JSON.stringify({ custom_id, method: 'POST', url: ENDPOINT, body: { model: 'm', ...body }, ...more });

const sourceOf = (path: string) => ({ path, runPaced: async <T>(work: () => T): Promise<T> => work() });

function validate(text: string, lineMaxBytes = terms.lineMaxBytes) {
  const path = join(folder, 'in.jsonl');
  writeFileSync(path, text);
  return validateInput(sourceOf(path), { ...terms, lineMaxBytes });
}

test('a file may have empty lines, any line ends and a byte order mark', async () => {
  const text = `\uFEFF${line('a')}\r\n\n  \n${line('b')}\r\n${line('c')}`;
  expect(await validate(text)).toEqual({ total: 3, model: 'm' });
});

test.each<[string, string, string, number | null]>([
  ['no JSON', `${line('a')}\n{`, 'invalid_json_line', 2],
  ['a list', '[]', 'invalid_json_line', 1],
  ['JSON deeper than any request', `${'['.repeat(400)}${']'.repeat(400)}`, 'invalid_json_line', 1],
  ['no custom_id', line(undefined), 'missing_required_parameter', 1],
  ['a custom_id that is too long', line('x'.repeat(513)), 'missing_required_parameter', 1],
  ['no body', line('a', { body: 'x' }), 'missing_required_parameter', 1],
  ['no model', line('a', {}, { model: '' }), 'missing_required_parameter', 1],
  ['one name twice, empty lines counted', `${line('a')}\n\n${line('a')}`, 'duplicate_custom_id', 3],
  ['another method', line('a', { method: 'GET' }), 'invalid_method', 1],
  ['another endpoint', line('a', { url: '/v1/responses' }), 'invalid_url', 1],
  ['two models', `${line('a')}\n${line('b', {}, { model: 'n' })}`, 'mismatched_model', 2],
  ['a stream', line('a', {}, { stream: true }), 'invalid_parameter', 1],
  ['a response in the background', line('a', {}, { background: true }), 'invalid_parameter', 1],
  ['a line that is too long', `${line('a')}\n${'x'.repeat(2_000)}`, 'line_too_long', 2],
  ['nothing', '\n\n', 'empty_file', null],
  ['a request and too many empty lines', `${line('a')}${'\n'.repeat(200_000)}`, 'too_many_lines', null],
  ['too many blank lines', ' \r\n'.repeat(200_000), 'too_many_lines', null],
])('a file with %s may not run', async (_what, text, code, number) => {
  const found = await validate(text);
  expect('problems' in found && found.problems.map((one) => [one.code, one.line])).toEqual([[code, number]]);
});

test('a line that is no JSON is refused with the reason', async () => {
  const found = await validate(`${line('a')}\n{"custom_id":"b" "method":"POST"}`);
  const reason = "Expected ',' or '}' after property value in JSON at position 17";
  expect(found).toMatchObject({ problems: [{ line: 2, message: `This line is not a JSON object: ${reason}.` }] });
});

test.each<[string, string]>([
  ['more values than a request may have', `[${'1,'.repeat(1_000_000)}1]`],
  ['more lists than a request may have', `[${'[],'.repeat(100_000)}[]]`],
  ['an object with more fields than one may have', `{${'"a":1,'.repeat(10_000)}"b":1}`],
])('a file whose line has %s may not run', async (_what, input) => {
  const dense = line('a', {}, { input: 0 }).replace('0', input);
  const found = await validate(`${line('b')}\n${dense}`, 10_000_000);
  expect('problems' in found && found.problems.map((one) => [one.code, one.line])).toEqual([['invalid_json_line', 2]]);
});

test('a file that is gone may not run', async () => {
  const found = await validateInput(sourceOf(join(folder, 'nothing')), terms);
  expect(found).toMatchObject({ problems: [{ code: 'file_not_found', line: null }] });
});

test('limits the requests of a file and the reported errors', async () => {
  const many = Array.from({ length: LINES_MAX + 1 }, (_, nth) => line(String(nth)));
  expect(await validate(many.slice(1).join('\n'))).toEqual({ total: LINES_MAX, model: 'm' });
  expect(await validate(many.join('\n'))).toMatchObject({ problems: [{ code: 'too_many_requests' }] });
  const found = await validate('{\n'.repeat(10_000));
  expect('problems' in found && found.problems.length).toBe(100);
});

test('a server that stops waits for no file', async () => {
  const path = join(folder, 'stopped.jsonl');
  writeFileSync(path, line('a'));
  const stopped = validateInput(sourceOf(path), { ...terms, signal: AbortSignal.abort() });
  await expect(stopped).rejects.toThrow('aborted');
});
