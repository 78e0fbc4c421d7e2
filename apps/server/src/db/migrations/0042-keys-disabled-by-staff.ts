import { type Kysely, sql } from 'kysely';

/**
 * Marks the disabled keys that staff have disabled, so that their owners cannot enable them. The audit log is the only
 * record of who disabled a key; a key that its owner disabled again after staff had is marked too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update api_key set status = 'disabled-by-staff' where status = 'disabled' and deleted_time is null
    and 'api_key:' || id in (select target from audit_entry where action = 'api-key.disable')`.execute(db);
}
