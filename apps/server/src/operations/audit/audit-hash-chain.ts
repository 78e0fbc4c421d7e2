/**
 * Hash chain of the audit log. Each entry's hash is keyed and covers the previous entry, and a sealed row names the
 * last one: with write access to the database file alone, no attacker can change, remove or truncate entries undetected.
 * The chain cannot detect that the whole file was replaced by an older one; only copies elsewhere can.
 */
import type { Kysely, Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import { CHUNK_ROWS, selectByteSize, takeChunk } from '../../db/process-in-chunks.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Schema } from '../../schema.ts';
import type { AuditEntryTable } from './table.ts';

type EntryRow = Selectable<AuditEntryTable>;
export type NewEntry = Omit<EntryRow, 'id' | 'hash'>;

const HEAD_ROW = 1;
const HEAD_NAME = `audit_head:${HEAD_ROW}`;

const headSchema = z.object({ first: z.int(), last: z.int(), hash: z.string() });
type Head = z.output<typeof headSchema>;

/**
 * Must run in the transaction of the audited change or one of its own, so that two entries never have the same
 * predecessor.
 */
export async function appendEntry(trx: Transaction<Schema>, vault: Vault, entry: NewEntry): Promise<void> {
  const head = await readHead(trx, vault);
  const id = head === undefined ? (await readLastId(trx)) + 1 : head.last + 1;
  const hash = hashEntry(vault, head?.hash ?? '', { ...entry, id });
  await trx
    .insertInto('audit_entry')
    .values({ ...entry, id, hash })
    .execute();
  const next: Head = { first: head?.first ?? id, last: id, hash };
  const head_sealed = vault.seal('audit-head', HEAD_NAME, JSON.stringify(next));
  await trx
    .insertInto('audit_head')
    .values({ id: HEAD_ROW, head_sealed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ head_sealed }))
    .execute();
}

export interface ChainState {
  entries: number;
  /** Id of the first entry that was changed or removed; null for none. */
  brokenId: number | null;
}

/** Reads all entries once, in chunks; may run concurrently with writers. */
export async function verifyChain(db: Kysely<Schema>, vault: Vault): Promise<ChainState> {
  const head = await readHead(db, vault);
  let entries = 0;
  let brokenId: number | null = null;
  let before: { id: number; hash: string } = { id: 0, hash: '' };
  for (;;) {
    const rows = await readChunk(db, before.id);
    if (rows.length === 0) break;
    for (const row of rows) {
      brokenId ??= findBrokenId(vault, head, before, row);
      before = row;
    }
    entries += rows.length;
  }
  const cut =
    head === undefined
      ? // The very first entry may have been written meanwhile.
        before.hash !== '' && (await readHead(db, vault)) === undefined
      : before.id < head.last;
  if (cut) brokenId ??= before.id + 1;
  return { entries, brokenId };
}

/** Reads the next entries after an id, as many as are hashed in one turn of the event loop. */
async function readChunk(db: Kysely<Schema>, after: number): Promise<EntryRow[]> {
  const following = db.selectFrom('audit_entry').where('id', '>', after).orderBy('id').limit(CHUNK_ROWS);
  const last = takeChunk(await following.select(['id', selectByteSize('detail')]).execute()).at(-1);
  return last === undefined ? [] : following.selectAll().where('id', '<=', last.id).execute();
}

/** Returns the id of a problem at this entry: a missing entry before it, or its own. */
function findBrokenId(
  vault: Vault,
  head: Head | undefined,
  before: { id: number; hash: string },
  row: EntryRow,
): number | null {
  if (row.id !== before.id + 1) return before.id + 1;
  // Entries of earlier versions have no hash; after the first one with a hash, all have one.
  if (row.hash === '' && before.hash === '' && (head === undefined || row.id < head.first)) return null;
  const { hash, ...entry } = row;
  if (hash !== hashEntry(vault, before.hash, entry)) return row.id;
  return head?.last === row.id && head.hash !== hash ? row.id : null;
}

/**
 * Returns undefined before the first entry, and when the row was tampered with: verifying the chain then finds the
 * place.
 */
async function readHead(db: Kysely<Schema>, vault: Vault): Promise<Head | undefined> {
  const row = await db.selectFrom('audit_head').select('head_sealed').where('id', '=', HEAD_ROW).executeTakeFirst();
  if (row === undefined) return undefined;
  try {
    return headSchema.parse(JSON.parse(vault.open('audit-head', HEAD_NAME, row.head_sealed)));
  } catch {
    return undefined;
  }
}

async function readLastId(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('audit_entry').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

/** Hashes the fields in a fixed order, so that the same entry always yields the same text. */
function hashEntry(vault: Vault, before: string, entry: Omit<EntryRow, 'hash'>): string {
  const { id, created_at, user_id, action, target, detail, address, request_id } = entry;
  const fields = [before, id, created_at, user_id, action, target, detail, address, request_id];
  return vault.fingerprint(`audit:${JSON.stringify(fields)}`);
}
