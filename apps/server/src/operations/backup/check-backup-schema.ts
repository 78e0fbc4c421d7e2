/**
 * Compares the schema of a foreign database with that of its migrations. A trigger, a view or a changed check in it
 * would keep running inside the gateway, on its ledger.
 */
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { z } from 'zod';
import { VERSIONS_TABLE } from '../../db/backup-and-migrate.ts';
import { migrations } from '../../db/migration-list.ts';
import { createExecute } from '../../db/sqlite/execute.ts';
import { createSqliteDialect } from '../../db/sqlite/sqlite-dialect.ts';

/** Tables that SQLite creates itself. https://www.sqlite.org/fileformat2.html#internal_schema_objects */
const BUILT_IN: ReadonlySet<string> = new Set([
  'CREATE TABLE sqlite_sequence(name,seq)',
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);
/** Properties that have their default in a database of the gateway. */
const FILE_PRAGMAS = ['application_id', 'user_version', 'encoding'] as const;
const NAMES_SHOWN = 3;

const schemaObject = z.object({ type: z.string(), name: z.string(), tbl_name: z.string(), sql: z.string().nullable() });
type SchemaObject = z.output<typeof schemaObject>;

/**
 * Reads the file without running anything in it.
 * @throws when the file isn't a database of the gateway, or its schema differs from its migrations. Migrations that
 * this version doesn't know are left to the start, which names the required version.
 */
export async function checkSchema(file: string): Promise<void> {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    const found = listSchemaObjects(copy);
    if (!found.some(({ type, name }) => type === 'table' && name === 'kysely_migration'))
      throw new Error('This is not a Switchyard database: it has no list of migrations.');
    const applied = copy.prepare('select name from kysely_migration').all();
    const names = z.array(z.object({ name: z.string() })).parse(applied);
    if (names.some(({ name }) => !Object.hasOwn(migrations, name))) return;
    await compareSchemas(copy, found, new Set(names.map(({ name }) => name)));
  } finally {
    copy.close();
  }
}

async function compareSchemas(
  copy: DatabaseSync,
  found: readonly SchemaObject[],
  applied: ReadonlySet<string>,
): Promise<void> {
  const reference = await createReferenceDatabase(applied);
  try {
    const expected = listSchemaObjects(reference);
    const differences = [...listDifferences(expected, found), ...listPragmaDifferences(reference, copy)];
    if (differences.length === 0) return;
    const more = differences.length - NAMES_SHOWN;
    throw new Error(
      `The schema of this database differs from the schema of Switchyard: ${differences.slice(0, NAMES_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}. Use a backup that Switchyard made, or undo these changes in the copy first.`,
    );
  } finally {
    reference.close();
  }
}

/** Creates an empty in-memory database with these migrations. */
async function createReferenceDatabase(applied: ReadonlySet<string>): Promise<DatabaseSync> {
  const connection = new DatabaseSync(':memory:');
  const db = new Kysely<unknown>({ dialect: createSqliteDialect(createExecute(connection)) });
  connection.exec(VERSIONS_TABLE);
  const some = Object.fromEntries(Object.entries(migrations).filter(([name]) => applied.has(name)));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => some } }).migrateToLatest();
  if (error === undefined) return connection;
  connection.close();
  throw new Error('The migrations of this database cannot be reproduced because its list of migrations was changed.', {
    cause: error,
  });
}

const listSchemaObjects = (connection: DatabaseSync): SchemaObject[] =>
  z
    .array(schemaObject)
    .parse(connection.prepare('select type, name, tbl_name, sql from sqlite_schema').all())
    .filter(({ type, sql }) => !(type === 'table' && sql !== null && BUILT_IN.has(sql)));

function listDifferences(expected: readonly SchemaObject[], found: readonly SchemaObject[]): string[] {
  const wanted = new Map(expected.map((object) => [describeObject(object), normalizeSql(object)]));
  const there = new Map(found.map((object) => [describeObject(object), normalizeSql(object)]));
  return [
    ...[...there.keys()].filter((key) => !wanted.has(key)).map((key) => `${key} is unknown`),
    ...[...wanted].flatMap(([key, text]) => {
      const foundText = there.get(key);
      if (foundText === undefined) return isOptional(key) ? [] : [`${key} is missing`];
      return foundText === text ? [] : [`${key} was changed`];
    }),
  ];
}

const describeObject = ({ type, name, tbl_name: table }: SchemaObject): string =>
  name === table ? `${type} ${name}` : `${type} ${name} of ${table}`;

/** Databases from before the version history lack this table. */
const isOptional = (key: string): boolean => / of upgrade$|^table upgrade$/.test(key);

/** Normalizes a statement: equal ones may differ in quotes and spaces. */
const normalizeSql = ({ sql }: SchemaObject): string =>
  (sql ?? '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^CREATE/i, 'create');

function listPragmaDifferences(reference: DatabaseSync, copy: DatabaseSync): string[] {
  const valueOf = (connection: DatabaseSync, name: string): unknown =>
    connection.prepare(`PRAGMA ${name}`).get()?.[name];
  return FILE_PRAGMAS.flatMap((name) => {
    const [expected, found] = [valueOf(reference, name), valueOf(copy, name)];
    return expected === found ? [] : [`${name} is ${String(found)} instead of ${String(expected)}`];
  });
}
