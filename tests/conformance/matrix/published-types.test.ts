/** What is sent to a vendor is what its own published types allow, down to names that they do not know. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requestsTo } from './losses.ts';
import type { DialectName } from './scene.ts';

const root = join(import.meta.dirname, '../../..');

/** Google's types are those of its library, not of its API. */
const types: Readonly<Record<Exclude<DialectName, 'gemini'>, readonly [name: string, from: string]>> = {
  'openai-chat': ['ChatCompletionCreateParams', 'openai/resources/chat/completions'],
  'openai-responses': ['ResponseCreateParams', 'openai/resources/responses/responses'],
  'anthropic-messages': ['MessageCreateParams', '@anthropic-ai/sdk/resources/messages'],
};

/**
 * Beyond the types: what other vendors of the same dialect take (OpenRouter, Qwen), and sampling, which Anthropic's types
 * have left behind with the models that still take it.
 */
const known =
  /'"(cache_control|temperature|top_p|top_k)"' does not exist|'"image"' is not assignable|'"video_url"' is not assignable/;

it.each(Object.entries(types))('a request to %s has the published type', (dialect, [name, from]) => {
  const requests = requestsTo(dialect as DialectName);
  expect(requests.length).toBeGreaterThan(30);
  const lines = requests.map(({ body }, index) => `export const r${index}: ${name} = ${body};`);
  const wrong = complaints([`import type { ${name} } from '${from}';`, ...lines].join('\n'));
  const unknown = wrong.filter(({ text }) => !known.test(text));
  expect(unknown.map(({ line, text }) => `${requests[line - 2]?.name}: ${text}`)).toEqual([]);
});

/** Of the compiler, by the line of the source. */
function complaints(source: string): { line: number; text: string }[] {
  // Beneath the root, so that the libraries are found.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'published-types-'));
  try {
    writeFileSync(join(folder, 'requests.ts'), source);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    execFileSync('tsc', [...options, '--ignoreConfig', join(folder, 'requests.ts')], { encoding: 'utf8' });
    return [];
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    const found = [...output.matchAll(/requests\.ts\((\d+),\d+\): (.*)/g)];
    if (found.length === 0) throw error;
    return found.map(([, line, text = '']) => ({ line: Number(line), text }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
