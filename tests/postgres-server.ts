/** PostgreSQL for the tests of this run, with a database of our tables from which theirs are made. */
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../apps/server/src/db/db.ts';
import { createDatabase, startPostgres } from '../apps/server/src/testing/database-server.ts';
import { TEMPLATE } from './test-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUri: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  if (server === undefined) throw new Error('There is no PostgreSQL on this machine: install postgresql');
  const db = await openDatabase(await createDatabase(server, TEMPLATE));
  await db.close();
  project.provide('postgresUri', server.uri);
  return () => server.close();
}
