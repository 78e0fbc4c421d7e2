import { type Kysely, sql } from 'kysely';
import { openDatabase } from '../../db/open-database.ts';
import { verifyLedger, verifyReceipts } from '../../ledger/ledger.ts';
import { appendEntry, verifyChain } from '../../operations/audit/audit.ts';
import { checkSchema } from '../../operations/backup/backup.ts';
import { nowSeconds, systemClock } from '../../platform/clock.ts';
import type { KeySource } from '../../platform/secrets/master-key.ts';
import type { Schema } from '../../schema.ts';
import { openVault } from './command-and-database-access.ts';

export interface CheckResult {
  /** Summary of the check in one line. */
  summary: string;
  problems: string[];
}

/** Recomputes balances, receipts and the audit chain. @throws without the master key */
export async function checkLedgerRows(db: Kysely<Schema>, source: KeySource): Promise<CheckResult> {
  const vault = await openVault(source, db);
  const { users, entries, problems: wrongBalances } = await verifyLedger(db);
  const { receipts, problems: wrongReceipts } = await verifyReceipts(db);
  const chain = await verifyChain(db, vault);
  const problems = [...wrongBalances, ...wrongReceipts];
  if (chain.brokenId !== null) problems.push(`the audit log was modified from entry ${chain.brokenId} on`);
  const summary = `${users} users, ${entries} ledger entries, ${receipts} receipts, ${chain.entries} audit entries, ${problems.length} problems`;
  return { summary, problems };
}

/**
 * Checks a copy from elsewhere: its schema, its rows after an upgrade, and the integrity of the file.
 * @param note entry that is added to its audit log after the check
 * @throws if it is damaged, has another schema than its version creates, or a newer version wrote it
 */
export async function checkDatabaseCopy(
  file: string,
  source: KeySource,
  note?: { action: string },
): Promise<CheckResult> {
  await checkSchema(file);
  const db = await openDatabase(file);
  try {
    const { rows } = await sql<{ integrity_check: string }>`PRAGMA integrity_check`.execute(db.writer);
    const damage = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    if (damage.length > 0) throw new Error(`The database in the backup is damaged: ${damage.slice(0, 3).join('; ')}`);
    const checked = await checkLedgerRows(db.writer, source);
    if (note !== undefined) await appendAuditEntry(db.writer, source, note.action);
    return checked;
  } finally {
    await db.close();
  }
}

async function appendAuditEntry(db: Kysely<Schema>, source: KeySource, action: string): Promise<void> {
  const vault = await openVault(source, db);
  await db
    .transaction()
    .execute((trx) =>
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
