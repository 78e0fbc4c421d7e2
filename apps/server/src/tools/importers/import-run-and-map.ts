/** Context of one import run, which writes everything in one transaction. */
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Postings } from '../../ledger/ledger.ts';
import type { Schema } from '../../schema.ts';
import type { ImportReport } from './report.ts';
import type { ImportMapTable } from './table.ts';

/** Target of an import. */
export type ImportTarget = Pick<Context, 'db' | 'ledger' | 'changes' | 'vault' | 'clock' | 'settings'>;

export interface ImportRun {
  target: ImportTarget;
  trx: Transaction<Schema>;
  moves: Postings;
  map: ImportMap;
  report: ImportReport;
  /** UTC seconds. */
  now: number;
}

/** Map from an installation's ids to imported rows, of earlier runs and this one. */
export interface ImportMap {
  /** Operator's name for the installation. */
  source: string;
  /** Returns the id of the imported row. */
  find(kind: ImportMapTable['kind'], sourceId: string): number | undefined;
  record(kind: ImportMapTable['kind'], sourceId: string, targetId: number): Promise<void>;
}

export async function readImportMap(trx: Transaction<Schema>, source: string): Promise<ImportMap> {
  const rows = await trx.selectFrom('import_map').selectAll().where('source', '=', source).execute();
  const known = new Map(rows.map((row) => [`${row.kind}:${row.source_id}`, row.target_id]));
  return {
    source,
    find: (kind, sourceId) => known.get(`${kind}:${sourceId}`),
    async record(kind, sourceId, targetId) {
      known.set(`${kind}:${sourceId}`, targetId);
      await trx
        .insertInto('import_map')
        .values({ source, kind, source_id: sourceId, target_id: targetId })
        .onConflict((conflict) =>
          conflict.columns(['source', 'kind', 'source_id']).doUpdateSet({ target_id: targetId }),
        )
        .execute();
    },
  };
}
