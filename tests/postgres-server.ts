/** Starts PostgreSQL for the tests of this run, with a migrated database as their template. */
import type { TestProject } from 'vitest/node';
import { startPostgresWithTemplate } from '../apps/server/src/testing/shared-servers.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUri: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgresWithTemplate();
  if (server === undefined) throw new Error('There is no PostgreSQL on this machine: install postgresql');
  project.provide('postgresUri', server.uri);
  return () => server.close();
}
