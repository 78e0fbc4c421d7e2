/** Scheduled backups, in a folder of their own, so that no manual backup is removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { registerThread } from '../../platform/exit-with-sqlite-threads.ts';
import type { BackupSecrets } from './backup-key-and-header.ts';

export interface BackupSchedule {
  databaseFile: string;
  /** Folder that holds the backups and nothing else. */
  folder: string;
  secrets: BackupSecrets;
  /** UTC seconds. */
  now: number;
  /** Hours between backups. */
  everyHours: number;
  /** UTC hour; for several backups a day, of the first one. */
  atHour: number;
  keep: number;
}

export type BackupTask = Pick<BackupSchedule, 'databaseFile' | 'folder' | 'secrets' | 'now'>;

/** File of the backup, or the message of the lock that another backup or check holds. */
export type BackupResult = { file: string } | { held: string };

const NAME = /^switchyard-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;
const HOUR = 3_600;
/** The largest databases take minutes. */
const DEADLINE_MS = 6 * HOUR * 1_000;

/**
 * Creates a backup if it is due, verifies it, and then removes surplus ones: while none can be created, none is
 * removed.
 * @param also `not due` for a run that was requested
 * @param stopping aborts; the next run removes the unfinished file
 * @returns the file, or undefined when it was not due, or when a manual backup or check is running: then the next run
 * creates it. @throws DiskFullError, when it is damaged, and when it is overdue or was requested and one is running
 */
export async function createScheduledBackup(
  plan: BackupSchedule,
  stopping: AbortSignal,
  also?: 'not due',
): Promise<string | undefined> {
  const { folder, now, keep } = plan;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Ignores files dated in the future, from a clock that was ahead: they would delay the next backup until then, and
  // displace good ones.
  const known = (): string[] => listBackupNames(folder).filter((name) => parseBackupTime(name) <= now);
  const newest = known().at(-1);
  const missedSlots =
    newest === undefined
      ? Number.POSITIVE_INFINITY
      : getScheduleSlot(plan, now) - getScheduleSlot(plan, parseBackupTime(newest));
  if (also === undefined && missedSlots <= 0) return undefined;
  const result = await createInWorker(plan, AbortSignal.any([stopping, AbortSignal.timeout(DEADLINE_MS)]));
  if ('held' in result) {
    if (also === undefined && missedSlots === 1) return undefined;
    throw new Error(result.held);
  }
  for (const name of known().slice(0, -keep)) rmSync(join(folder, name));
  return result.file;
}

/** Lists oldest first. */
const listBackupNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => NAME.test(name))
    .toSorted();

function parseBackupTime(name: string): number {
  const [year = 0, month = 0, ...rest] = (NAME.exec(name) ?? []).slice(1).map(Number);
  const [day, hours, minutes, seconds] = rest;
  return Date.UTC(year, month - 1, day, hours, minutes, seconds) / 1_000;
}

/** Returns the number of the interval. Intervals begin at fixed hours, whenever the last backup was made. */
const getScheduleSlot = ({ everyHours, atHour }: BackupSchedule, time: number): number =>
  Math.floor((time - atHour * HOUR) / (everyHours * HOUR));

/** Runs in a worker, because the relay's thread must not read and compress a million records. */
async function createInWorker(plan: BackupTask, ending: AbortSignal): Promise<BackupResult> {
  const { databaseFile, folder, secrets, now } = plan;
  ending.throwIfAborted();
  const work: BackupTask = { databaseFile, folder, secrets, now };
  const worker = registerThread(new Worker(new URL('./backup-worker.ts', import.meta.url), { workerData: work }));
  try {
    return await new Promise<BackupResult>((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('The backup ended without a file')));
      ending.addEventListener('abort', () => reject(new Error('The backup was aborted')));
    });
  } finally {
    await worker.terminate();
  }
}
