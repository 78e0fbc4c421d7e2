import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueSecret } from '../../accounts/one-time-secrets/one-time-secrets.ts';
import { type CliEnvironment, runCli, spawnCli } from '../../testing/run-cli.ts';
import { type SignedInUser, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-restore-'));
  folders.push(folder);
  return folder;
}
const dataDir = newFolder();
const backups = newFolder();
let app: TestApp;
let root: SignedInUser;
beforeAll(async () => {
  app = await startTestApp({ dataDir });
  root = await app.createUser('root', { quota: 345 });
  await issueSecret(app.ctx, { purpose: 'password-reset', deviceHash: '', userId: root.id, seconds: 3_600 });
});
afterAll(async () => {
  await app.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const run = (parameters: string[], variables: CliEnvironment = {}) =>
  runCli(parameters, { DATA_DIR: dataDir, ...variables });

async function newBackup(...options: string[]): Promise<string> {
  const { status, output } = await run(['backup', '--to', `${newFolder()}/`, ...options]);
  expect(status, output).toBe(0);
  return /^(\S+): /.exec(output)?.[1] ?? '';
}

/** One with the master key, as an operator prepares it. */
function newHome(): string {
  const folder = newFolder();
  copyFileSync(join(dataDir, 'master.key'), join(folder, 'master.key'));
  return folder;
}

/** Without the locks, which are empty files that stay. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('.lock'))
    .toSorted();

test.each([[[]], [['--without-encryption']]])(
  'a backup of a running server becomes the same server elsewhere %j',
  async (options) => {
    const file = await newBackup(...options);
    const home = newHome();
    const { status, output } = await run(['restore', file, '--to', home]);
    expect(status, output).toBe(0);
    expect(output).toContain('0 problems');
    expect(filesIn(home)).toEqual(['master.key', 'switchyard.db']);
    const restored = await startTestApp({ dataDir: home });
    const balance = await restored.ctx.db.writer
      .selectFrom('user_account')
      .select('balance')
      .where('user_id', '=', root.id)
      .executeTakeFirst();
    expect(balance).toEqual({ balance: 100_000_345 });
    const entry = await restored.ctx.db.writer
      .selectFrom('audit_entry')
      .select('action')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect(entry).toEqual({ action: 'cli.restore' });
    // They may have been revoked since the backup.
    for (const table of ['session', 'one_time'] as const) {
      expect(await app.ctx.db.writer.selectFrom(table).selectAll().execute()).not.toEqual([]);
      expect(await restored.ctx.db.writer.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    await restored.close();
  },
);

test('sends no mail or notification again that waited when the backup was made', async () => {
  const file = await newBackup('--without-encryption');
  const backup = new DatabaseSync(file);
  for (const state of ['waiting', 'failed'])
    backup.exec(`insert into mail (id, created_time, recipient, template, values_sealed, language, tries, next_try_time,
      expires_time, last_error, state) values ('${state}', 1, 'a@example.com', 'test', 'sealed', 'en_US', 0, 1, 9999999999,
      'of before', '${state}')`);
  for (const [state, ended] of [
    ['waiting', 'null'],
    ['delivered', '5'],
  ])
    backup.exec(`insert into delivery (lane, event, type, destination_name, title, text, link, state, tries, created_time,
      next_try_time, ended_time, last_answer) values ('lane', 'low-balance', 'slack', 'Team', '', '', '', '${state}', 0, 1,
      ${state === 'waiting' ? '1' : 'null'}, ${ended}, 'of before')`);
  backup.close();
  const home = newHome();
  const { status, output } = await run(['restore', file, '--to', home]);
  expect(status, output).toBe(0);
  expect(output).toContain('2 mails and notifications were waiting');
  const restored = new DatabaseSync(join(home, 'switchyard.db'), { readOnly: true });
  const mails = restored.prepare('select state, values_sealed, last_error from mail order by id desc').all();
  const deliveries = restored.prepare('select state, next_try_time, last_answer from delivery order by id').all();
  restored.close();
  const reason = expect.stringContaining('restored from a backup') as string;
  expect(mails).toMatchObject([
    { state: 'failed', values_sealed: '', last_error: reason },
    { state: 'failed', values_sealed: 'sealed', last_error: 'of before' },
  ]);
  expect(deliveries).toMatchObject([
    { state: 'failed', next_try_time: null, last_answer: reason },
    { state: 'delivered', next_try_time: null, last_answer: 'of before' },
  ]);
});

test('a backup is verified without being put anywhere', async () => {
  const file = await newBackup();
  const before = filesIn(dataDir);
  expect(await run(['verify', file])).toMatchObject({ status: 0, output: expect.stringContaining('0 problems') });
  expect(filesIn(dataDir)).toEqual(before);
  writeFileSync(file, readFileSync(file).subarray(0, -1));
  expect(await run(['verify', file])).toMatchObject({ status: 1, output: expect.stringContaining('damaged') });
  expect(filesIn(dataDir)).toEqual(before);
});

test('nothing is restored under a running server', async () => {
  expect(await run(['restore', await newBackup(), '--replace'])).toMatchObject({
    status: 1,
    output: expect.stringContaining('Another process is using'),
  });
});

test('does nothing to an existing database without --replace, and keeps the old one with it', async () => {
  const file = await newBackup();
  const home = newHome();
  expect((await run(['restore', file, '--to', home])).status).toBe(0);
  const old = await startTestApp({ dataDir: home });
  await old.createUser('user', { username: 'later' });
  await old.close();
  const users = (database: string): number => {
    const connection = new DatabaseSync(database, { readOnly: true });
    const count = connection.prepare('select count(*) as count from user').get()?.['count'];
    connection.close();
    return Number(count);
  };
  expect(await run(['restore', file, '--to', home])).toMatchObject({
    status: 1,
    output: expect.stringContaining('--replace'),
  });
  expect(users(join(home, 'switchyard.db'))).toBe(2);
  expect((await run(['restore', file, '--to', home, '--replace'])).status).toBe(0);
  expect(users(join(home, 'switchyard.db'))).toBe(1);
  const aside = filesIn(home).find((name) => name.includes('.replaced-')) ?? '';
  expect(users(join(home, aside))).toBe(2);
});

test('even a database that is destroyed is set aside whole', async () => {
  const home = newHome();
  writeFileSync(join(home, 'switchyard.db'), 'destroyed');
  writeFileSync(join(home, 'switchyard.db-wal'), 'its log');
  writeFileSync(join(home, 'switchyard.db-journal'), 'its journal');
  expect((await run(['restore', await newBackup(), '--to', home, '--replace'])).status).toBe(0);
  const contents = filesIn(home)
    .filter((name) => name.includes('.replaced-'))
    .map((name) => readFileSync(join(home, name), 'utf8'));
  expect(contents).toEqual(['destroyed', 'its journal', 'its log']);
  for (const ending of ['-wal', '-journal']) expect(existsSync(join(home, `switchyard.db${ending}`))).toBe(false);
});

test.each([
  ['its header', 16, 84],
  ['its schema', 100, 200],
  ['its first page', 0, 4_096],
  ['other pages', 4_096, 81_920],
])('replaces a database that is damaged in %s, and keeps it with its log', async (_, at, length) => {
  const file = await newBackup();
  const home = newHome();
  expect((await run(['restore', file, '--to', home])).status).toBe(0);
  const database = join(home, 'switchyard.db');
  const handle = openSync(database, 'r+');
  writeSync(handle, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(handle);
  const damaged = readFileSync(database);
  const { status, output } = await run(['restore', file, '--to', home, '--replace']);
  expect({ status, output }).toMatchObject({ status: 0 });
  const aside = filesIn(home).find((name) => name.includes('.replaced-')) ?? '';
  expect(readFileSync(join(home, aside)).subarray(at, at + length)).toEqual(damaged.subarray(at, at + length));
  expect(await run(['verify'], { DATA_DIR: home })).toMatchObject({ status: 0 });
});

test('keeps the charges that were not written to the replaced database', async () => {
  const file = await newBackup();
  const home = newHome();
  expect((await run(['restore', file, '--to', home])).status).toBe(0);
  const unwritten = `${JSON.stringify({ type: 'void', hold: { requestId: 'a' } })}\n`;
  writeFileSync(join(home, 'unwritten-ends.jsonl'), unwritten);
  const { output } = await run(['restore', file, '--to', home, '--replace']);
  expect(output).toContain('charges that were not written');
  const restored = await startTestApp({ dataDir: home });
  await restored.close();
  const kept = filesIn(home).find((name) => name.endsWith('.unwritten-ends.jsonl')) ?? '';
  expect(readFileSync(join(home, kept), 'utf8')).toBe(unwritten);
  expect(readFileSync(join(home, 'unwritten-ends.jsonl'), 'utf8').trim()).toBe('');
});

test('rejects a backup whose ledger does not add up, unless the operator overrides it', async () => {
  const file = await newBackup('--without-encryption');
  const connection = new DatabaseSync(file);
  connection.exec('update user_account set balance = balance + 1');
  connection.close();
  const home = newHome();
  expect(await run(['restore', file, '--to', home])).toMatchObject({
    status: 1,
    output: expect.stringMatching(/1 problems[^]*Nothing was restored/),
  });
  expect(filesIn(home)).toEqual(['master.key']);
  expect((await run(['restore', file, '--to', home, '--despite-problems'])).status).toBe(0);
  expect(filesIn(home)).toEqual(['master.key', 'switchyard.db']);
  const restored = new DatabaseSync(join(home, 'switchyard.db'), { readOnly: true });
  const entry = restored.prepare('select action from audit_entry order by id desc').get();
  restored.close();
  expect(entry).toEqual({ action: 'cli.restore' });
});

test('leaves the folder unchanged for a damaged, foreign, newer or missing backup', async () => {
  const home = newHome();
  const refuse = async (file: string, reason: string, variables: CliEnvironment = {}): Promise<void> => {
    expect(await run(['restore', file, '--to', home], variables)).toMatchObject({
      status: 1,
      output: expect.stringContaining(reason),
    });
    expect(filesIn(home)).toEqual(['master.key']);
  };
  const file = await newBackup();
  const bytes = readFileSync(file);
  await refuse(file, 'another master key', { MASTER_KEY: 'ab'.repeat(32) });
  writeFileSync(file, bytes.subarray(0, -100));
  await refuse(file, `${file} is damaged, incomplete or not authentic. Use another one.`);
  await refuse(join(backups, 'nothing'), 'There is no file');
  const plain = await newBackup('--without-encryption');
  const connection = new DatabaseSync(plain);
  connection.exec("insert into kysely_migration values ('9999-later', '2030-01-01')");
  connection.close();
  await refuse(plain, 'a newer version of Switchyard');
  const half = readFileSync(plain);
  writeFileSync(plain, half.subarray(0, half.length / 2));
  await refuse(plain, 'malformed');
});

test.each([
  ['the name of a trigger', `create trigger "\u001b[2J" after insert on user begin select 1; end`],
  ['the name of a migration', `insert into kysely_migration values ('9999-\u001b[2J', '2030-01-01')`],
  [
    'the id of a request',
    `update usage_record set type = 'consume', request_id = '\u001b[2J', detail = 'x'
      where id = (select max(id) from usage_record)`,
  ],
])('prints no control character from a foreign backup: %s', async (_what, statement) => {
  const file = await newBackup('--without-encryption');
  const connection = new DatabaseSync(file);
  connection.exec(statement);
  connection.close();
  for (const words of [
    ['verify', file],
    ['restore', file, '--to', newHome()],
  ]) {
    const { status, output } = await run(words);
    expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining('\\u001b[2J') });
    expect(output).not.toContain('\u001b');
  }
});

test('opens a backup with its passphrase, on a machine that has the master key for its secrets', async () => {
  const phrase = { BACKUP_PASSPHRASE: 'correct horse battery' };
  const file = join(newFolder(), 'sealed');
  expect((await run(['backup', '--to', file], phrase)).status).toBe(0);
  expect(await run(['restore', file, '--to', newHome()], { BACKUP_PASSPHRASE: 'correct horse batterz' })).toMatchObject(
    { status: 1, output: expect.stringContaining('is not the passphrase') },
  );
  expect((await run(['restore', file, '--to', newHome()], phrase)).status).toBe(0);
  const home = newFolder();
  expect(await run(['restore', file, '--to', home], { ...phrase, DATA_DIR: home })).toMatchObject({
    status: 1,
    output: expect.stringContaining(
      `There is no master key for this database. Restore ${join(home, 'master.key')}, or set`,
    ),
  });
  expect(filesIn(home)).toEqual([]);
});

test('a process that has created, verified or restored a backup exits, with the same report', async () => {
  const file = join(newFolder(), 'backup');
  const home = newHome();
  for (const words of [
    ['backup', '--to', file],
    ['verify', file],
    ['restore', file, '--to', home],
  ])
    expect(await spawnCli(words, { DATA_DIR: dataDir })).toMatchObject({ status: 0, stderr: '' });
  expect(filesIn(home)).toEqual(['master.key', 'switchyard.db']);
});
