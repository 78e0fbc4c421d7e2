import { type Kysely, sql } from 'kysely';
import { openDatabase } from '../../db/db.ts';
import { verifyLedger, verifyReceipts } from '../../ledger/ledger.ts';
import { appendEntry, walkChain } from '../../operations/audit/audit.ts';
import { checkSchema } from '../../operations/backup/backup.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import type { KeySource } from '../../platform/secrets/master-key.ts';
import type { Schema } from '../../schema.ts';
import { openVault } from './open-vault.ts';

export interface Checked {
  /** Summary of what was checked, in one line. */
  summary: string;
  problems: string[];
}

/** Recomputes what can be recomputed. @throws without the master key */
export async function checkBooks(db: Kysely<Schema>, source: KeySource): Promise<Checked> {
  const vault = await openVault(source, db);
  const { users, entries, problems: wrongBalances } = await verifyLedger(db);
  const { receipts, problems: wrongReceipts } = await verifyReceipts(db);
  const chain = await walkChain(db, vault);
  const problems = [...wrongBalances, ...wrongReceipts];
  if (chain.brokenId !== null) problems.push(`the audit log was modified from entry ${chain.brokenId} on`);
  const summary = `${users} users, ${entries} ledger entries, ${receipts} receipts, ${chain.entries} audit entries, ${problems.length} problems`;
  return { summary, problems };
}

/**
 * The same for a copy that came from elsewhere: checks its schema, brings it up to date, and looks at the file itself.
 * @param note leaves an entry in its audit log when nothing is wrong
 * @throws when it is damaged, has another schema than its version makes, or a newer version wrote it
 */
export async function checkCopy(
  file: string,
  source: KeySource,
  note?: { action: string },
): Promise<Checked> {
  await checkSchema(file);
  const db = await openDatabase(file);
  try {
    const { rows } = await sql<{ integrity_check: string }>`PRAGMA integrity_check`.execute(db.writer);
    const damage = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    if (damage.length > 0)
      throw new Error(`The database in the backup is damaged: ${damage.slice(0, 3).join('; ')}`);
    const checked = await checkBooks(db.writer, source);
    if (note !== undefined && checked.problems.length === 0) await leaveNote(db.writer, source, note.action);
    return checked;
  } finally {
    await db.close();
  }
}

async function leaveNote(db: Kysely<Schema>, source: KeySource, action: string): Promise<void> {
  const vault = await openVault(source, db);
  await db.transaction().execute((trx) =>
    appendEntry(trx, vault, {
      created_at: nowSeconds(systemClock),
      user_id: null,
      action,
      target: 'database',
      detail: '{}',
      address: '',
      request_id: '',
    }),
  );
}
