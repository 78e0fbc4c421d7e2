import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { channels } from '@switchyard/contract/channels/channels';
import { afterAll, expect, test } from 'vitest';
import { runCli, spawnCli } from '../../testing/run-cli.ts';
import { useTestApp } from '../../testing/start-test-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-config-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'switchyard.yaml');
const app = await useTestApp();
const root = await app.createUser('root');
const { token } = await root
  .api(accessTokens)
  .create({
    body: {
      name: 'config',
      scopes: ['root', 'channels.read', 'channels.write', 'groups.read', 'groups.write', 'prices.read', 'prices.write'],
      read_only: false,
      expires_time: 0,
    },
  });

const KEY = 'sk-key-that-nobody-sees';
const own = { SWITCHYARD_TOKEN: token, SWITCHYARD_KEY_ONE: KEY };

async function run(parameters: string, env: Readonly<Record<string, string>> = own) {
  const variables = { PORT: new URL(app.url).port, DATA_DIR: folder, ...env };
  const { output, ...said } = await runCli(['config', ...parameters.split(' ')], variables);
  for (const secret of [token, KEY, 'MASTER-OF-ALL']) expect(output).not.toContain(secret);
  return said;
}

test('export, validate, diff and apply end as a pipeline needs it, and never print a secret', async () => {
  const form = { name: 'one', type: 1, models: ['m'], base_url: 'http://127.0.0.1:9', key: KEY };
  const [made] = await root.api(channels).create({ body: form });
  expect(await run(`export --to ${file}`)).toMatchObject({ status: 0, stdout: '' });
  expect(await run(`validate ${file}`, {})).toMatchObject({ status: 0 });
  expect(await run(`diff ${file}`)).toEqual({ status: 0, stdout: '', stderr: '' });
  if (made !== undefined) await root.api(channels).update({ body: { id: made.id, weight: 7, key: `${KEY}-before` } });
  const lines = '~ channels.one.key: changed\n~ channels.one.weight: 7 → 1\n';
  const sorted = (text: string): string[] => text.split('\n').toSorted();
  const differing = await run(`diff ${file} --server ${app.url}`);
  expect(differing).toMatchObject({ status: 2, stderr: '' });
  expect(sorted(differing.stdout)).toEqual(sorted(lines));
  const applied = await run(`apply ${file}`);
  expect(applied).toMatchObject({ status: 0, stdout: differing.stdout });
  expect(await run(`apply ${file}`)).toEqual({ status: 0, stdout: 'No differences\n', stderr: '' });
});

test('a process has an exit code for pipelines, and prints the configuration if no file is named', async () => {
  const env = { PORT: new URL(app.url).port, DATA_DIR: folder, ...own };
  const { status, stdout } = await spawnCli(['config', 'export'], env);
  expect({ status, stdout }).toEqual({ status: 0, stdout: readFileSync(file, 'utf8') });
});

test('reports errors in a sentence, and uses none of the server’s own secrets in a channel', async () => {
  const text = readFileSync(file, 'utf8');
  const failing: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    [`diff ${file}`, {}, 'Set SWITCHYARD_TOKEN'],
    [`diff ${file}`, { ...own, SWITCHYARD_TOKEN: 'a'.repeat(40) }, 'rejected the access token'],
    [`diff ${file}`, { ...own, SWITCHYARD_KEY_ONE: '' }, 'channels[0].key: The variable SWITCHYARD_KEY_ONE is not set'],
    [`diff ${file} --server http://gateway.example`, own, 'Over plain HTTP'],
    [`diff ${file} --server http://127.0.0.1:9`, own, 'The server at http://127.0.0.1:9 does not respond'],
    [`diff ${file}.none`, own, `The file ${file}.none cannot be read (ENOENT)`],
    [`diff ${folder}`, own, `The file ${folder} cannot be read (EISDIR)`],
    ['diff', own, 'Name the file'],
    [`export ${file}`, own, 'config export --to FILE'],
    ['change', own, 'Name an action: config export, validate, diff, apply'],
  ];
  for (const [parameters, env, sentence] of failing)
    expect(await run(parameters, env), parameters).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(sentence),
    });
  writeFileSync(file, text.replace('SWITCHYARD_KEY_ONE', 'MASTER_KEY'));
  expect(await run(`apply ${file}`, { ...own, MASTER_KEY: 'MASTER-OF-ALL' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The variable MASTER_KEY belongs to the server'),
  });
});
