import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { lockBackups } from '../../platform/data-folder-lock.ts';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { type BackupSchedule, createScheduledBackup, unpackBackup } from './backup.ts';

const TWO = Date.UTC(2026, 10, 23, 2) / 1000;
const HOUR = 3_600;
const running = new AbortController().signal;
const elsewhere = mkdtempSync(join(tmpdir(), 'switchyard-scheduled-'));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

let folders = 0;
async function newPlan(changes: Partial<BackupSchedule> = {}): Promise<BackupSchedule> {
  folders += 1;
  return {
    databaseFile: await writeOldDatabase('9999', ''),
    folder: join(elsewhere, `scheduled-${folders}`),
    secrets: { passphrase: undefined, masterKeys: [randomBytes(32)] },
    now: TWO,
    everyHours: 24,
    atHour: 2,
    keep: 2,
    ...changes,
  };
}
const timesIn = ({ folder }: BackupSchedule): string[] =>
  readdirSync(folder)
    .toSorted()
    .map((name) => name.slice('switchyard-'.length, -'00Z.backup'.length));

test('a day has one, from its hour on, however often it is asked and however late the last one was', async () => {
  const plan = await newPlan();
  const createBackup = async (hours: number) =>
    (await createScheduledBackup({ ...plan, now: TWO + hours * HOUR }, running)) !== undefined;
  expect(await createBackup(7)).toBe(true);
  expect(await createBackup(8)).toBe(false);
  expect(await createBackup(23.9)).toBe(false);
  expect(await createBackup(24)).toBe(true);
  expect(await createBackup(47)).toBe(false);
  expect(timesIn(plan)).toEqual(['20261123T0900', '20261124T0200']);
});

test('one that bears a time to come keeps none from being made, and pushes none out', async () => {
  const plan = await newPlan({ keep: 1 });
  mkdirSync(plan.folder, { recursive: true });
  writeFileSync(join(plan.folder, 'switchyard-20360101T020000Z.backup'), 'of a clock that was ahead');
  expect(await createScheduledBackup(plan, running)).toBeDefined();
  expect(timesIn(plan)).toEqual(['20261123T0200', '20360101T0200']);
});

test('writes files that only their owner reads, encrypted with the key of the installation', async () => {
  const plan = await newPlan();
  const file = (await createScheduledBackup(plan, running)) ?? '';
  const back = join(elsewhere, 'back.db');
  await unpackBackup(file, back, plan.secrets);
  expect(statSync(back).size).toBe(statSync(plan.databaseFile).size);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the oldest are deleted once a new one is complete, and other files stay', async () => {
  const plan = await newPlan({ everyHours: 1 });
  for (let n = 0; n < 4; n += 1) {
    await createScheduledBackup({ ...plan, now: TWO + n * HOUR }, running);
    writeFileSync(join(plan.folder, 'switchyard-notes.txt'), 'mine');
  }
  expect(timesIn(plan).slice(0, 2)).toEqual(['20261123T0400', '20261123T0500']);
  expect(readdirSync(plan.folder)).toContain('switchyard-notes.txt');
});

test('while none can be made none is removed', async () => {
  const plan = await newPlan({ everyHours: 1, keep: 1 });
  await createScheduledBackup(plan, running);
  const broken = { ...plan, now: TWO + HOUR, databaseFile: join(elsewhere, 'nothing', 'there.db') };
  await expect(createScheduledBackup(broken, running)).rejects.toThrow();
  const keyless = { ...plan, now: TWO + HOUR, secrets: { passphrase: undefined, masterKeys: [] } };
  await expect(createScheduledBackup(keyless, running)).rejects.toThrow('no key');
  expect(timesIn(plan)).toEqual(['20261123T0200']);
});

/** Overwrites the page on which a table or an index begins. */
function damage(file: string, name: string): void {
  const connection = new DatabaseSync(file);
  const { rootpage, page_size } = connection
    .prepare('select rootpage, page_size from sqlite_master, pragma_page_size where name = ?')
    .get(name) ?? { rootpage: null, page_size: null };
  connection.close();
  const handle = openSync(file, 'r+');
  writeSync(
    handle,
    Buffer.alloc(Number(page_size), 0xa5),
    0,
    Number(page_size),
    (Number(rootpage) - 1) * Number(page_size),
  );
  closeSync(handle);
}

test.each(['ledger_entry', 'usage_record', 'session', 'user'])(
  'backs up no database whose table %s is damaged, and removes no good backup',
  async (table) => {
    const plan = await newPlan({ everyHours: 1, keep: 1 });
    await createScheduledBackup(plan, running);
    damage(plan.databaseFile, table);
    await expect(createScheduledBackup({ ...plan, now: TWO + HOUR }, running)).rejects.toThrow(/damaged|malformed/);
    expect(timesIn(plan)).toEqual(['20261123T0200']);
  },
);

test('an interrupted backup leaves nothing under its name, and the next one continues', async () => {
  const plan = await newPlan();
  const stop = new AbortController();
  const making = createScheduledBackup(plan, stop.signal);
  stop.abort();
  await expect(making).rejects.toThrow();
  expect(timesIn(plan)).toEqual([]);
  expect(await createScheduledBackup(plan, running)).toBeDefined();
});

test('waits for a manual backup or check that is running, unless it was requested or is overdue', async () => {
  const plan = await newPlan();
  const at = (hours: number) => ({ ...plan, now: TWO + hours * HOUR });
  expect(await createScheduledBackup(at(0), running)).toBeDefined();
  const release = lockBackups(dirname(plan.databaseFile));
  expect(await createScheduledBackup(at(24), running)).toBeUndefined();
  await expect(createScheduledBackup(at(24), running, 'not due')).rejects.toThrow('Another backup');
  await expect(createScheduledBackup(at(48), running)).rejects.toThrow('Another backup');
  expect(timesIn(plan)).toEqual(['20261123T0200']);
  release();
  expect(await createScheduledBackup(at(24), running)).toBeDefined();
});
