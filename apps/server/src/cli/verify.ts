import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { createExecute, createSqliteDialect } from '../db/sqlite/sqlite-dialect.ts';
import { walkChain } from '../features/audit/audit.ts';
import { verifyLedger, verifyReceipts } from '../ledger/ledger.ts';
import { type Command, existingDatabase } from './command.ts';
import { openVault } from './open-vault.ts';

/** Changes nothing, and may run beside the server: everything is read from one moment. */
export const verify: Command = {
  summary: 'recomputes every balance from the ledger and the audit log; fails when something does not add up',
  async run(config) {
    const databaseFile = existingDatabase(config);
    const connection = new DatabaseSync(databaseFile, { readOnly: true });
    const db = new Kysely<Schema>({ dialect: createSqliteDialect(createExecute(connection)) });
    connection.exec('begin');
    try {
      const vault = await openVault(config, db);
      const { users, entries, problems: wrongBalances } = await verifyLedger(db);
      const { receipts, problems: wrongReceipts } = await verifyReceipts(db);
      const chain = await walkChain(db, vault);
      const problems = [...wrongBalances, ...wrongReceipts];
      if (chain.brokenId !== null)
        problems.push(`the audit log is not as it was written from entry ${chain.brokenId} on`);
      console.log(
        `${users} users, ${entries} ledger entries, ${receipts} receipts, ${chain.entries} audit entries, ${problems.length} problems`,
      );
      for (const problem of problems) console.log(`- ${problem}`);
      return problems.length === 0 ? 0 : 1;
    } finally {
      connection.close();
    }
  },
};
