/** Adds a history of any length to the database of a stopped product. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function runOnDatabase(dataDir: string, statements: string): void {
  const connection = new DatabaseSync(join(dataDir, 'switchyard.db'));
  connection.exec(`begin; ${statements}; commit`);
  connection.close();
}

/**
 * Repeats the only charge with its record, with other ids and on so many days before its own day. The ledger verifies
 * afterwards.
 */
export function duplicateCharge(dataDir: string, times: number, days: number): void {
  const connection = new DatabaseSync(join(dataDir, 'switchyard.db'), { readOnly: true });
  const columnsOf = (table: string): string[] =>
    connection
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name));
  const columns = { ledger_entry: columnsOf('ledger_entry'), usage_record: columnsOf('usage_record') };
  connection.close();
  const copy = (table: keyof typeof columns, where: string): string => {
    const values = columns[table].map((column) => {
      if (column === 'id') return 'null';
      if (column === 'ref' || column === 'request_id') return "'again-' || n.i";
      // The oldest first, as calls arrive.
      return column === 'created_at' ? `t.created_at - 86400 * (${days} - n.i * ${days} / ${times})` : `t.${column}`;
    });
    return `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${times})
      insert into ${table} (${columns[table].join(', ')})
      select ${values.join(', ')} from n, (select * from ${table} where ${where} limit 1) t`;
  };
  runOnDatabase(
    dataDir,
    `
    ${copy('ledger_entry', "kind = 'charge'")};
    ${copy('usage_record', "type = 'consume'")};
    update user_account set
      balance = (select sum(user_amount) from ledger_entry e where e.user_id = user_account.user_id),
      used = (select -sum(user_amount) from ledger_entry e where e.user_id = user_account.user_id and kind = 'charge')
      where user_id in (select user_id from ledger_entry where kind = 'charge');
    update key_account set
      remaining = (select sum(key_amount) from ledger_entry e where e.api_key_id = key_account.api_key_id)
      where api_key_id in (select api_key_id from ledger_entry where kind = 'charge');
    delete from key_day;
    insert into key_day (api_key_id, day, used)
      select api_key_id, created_at - created_at % 86400, -sum(user_amount) from ledger_entry
      where kind = 'charge' and api_key_id is not null group by 1, 2`,
  );
}
