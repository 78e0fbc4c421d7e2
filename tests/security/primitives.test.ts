/** No line of the product starts a process, runs text as code, builds SQL from text, or connects without the guard. */
import { expect, test } from 'vitest';
import {
  getCallArguments,
  getNodeName,
  isFixedText,
  isSyntaxNode,
  readProductSources,
  type SyntaxNode,
} from './walk-sources.ts';

const sources = readProductSources();

/** `file: name` of each node that `what` names. */
function found(what: (node: SyntaxNode, file: string) => string | undefined): string[] {
  return sources.flatMap(({ file, nodes }) =>
    nodes.flatMap((node) => {
      const name = what(node, file);
      return name === undefined ? [] : [`${file}: ${name}`];
    }),
  );
}

const isCall = ({ type }: SyntaxNode): boolean => type === 'CallExpression' || type === 'NewExpression';

function importedFrom(node: SyntaxNode): string | undefined {
  if (node['type'] !== 'ImportDeclaration' || node['typeOnly'] === true) return undefined;
  const { specifiers } = node;
  const areTypes =
    Array.isArray(specifiers) &&
    specifiers.length > 0 &&
    specifiers.every((one: unknown) => isSyntaxNode(one) && one['isTypeOnly'] === true);
  return areTypes ? undefined : getNodeName(node['source']).replace(/^node:/, '');
}

test('the walk finds the product', () => {
  expect(sources.length).toBeGreaterThan(200);
  expect(found((node) => (isCall(node) ? getNodeName(node['callee']) : undefined)).length).toBeGreaterThan(2_000);
});

test('no line starts a process, and only listed modules start a thread', () => {
  const processes = new Set(['child_process', 'cluster', 'vm', 'module', 'repl', 'inspector', 'wasi', 'ffi']);
  expect(found((node) => [importedFrom(node)].find((name) => name !== undefined && processes.has(name)))).toEqual([]);
  const starters = found((node) =>
    node['type'] === 'NewExpression' && getNodeName(node['callee']) === 'Worker' ? 'a thread' : undefined,
  );
  expect(starters.toSorted()).toEqual([
    'apps/server/src/billing/pdf-documents/pdf-documents.ts: a thread',
    'apps/server/src/db/reading-thread.ts: a thread',
    'apps/server/src/gateway/billing/token-counter.ts: a thread',
    'apps/server/src/operations/backup/scheduled-backups.ts: a thread',
    'apps/server/src/platform/secrets/legacy-password-hash.ts: a thread',
  ]);
});

test('no line runs text as code', () => {
  const runners = new Set([
    'eval',
    'Function',
    'require',
    'createRequire',
    'runInThisContext',
    'runInNewContext',
    'compileFunction',
    'dlopen',
    'binding',
  ]);
  expect(
    found((node) =>
      isCall(node) && runners.has(getNodeName(node['callee'])) ? getNodeName(node['callee']) : undefined,
    ),
  ).toEqual([]);
  const loads = found((node) => {
    const callee = node['callee'];
    const isImport = isCall(node) && isSyntaxNode(callee) && callee['type'] === 'Import';
    return isImport && !getCallArguments(node).every(isFixedText) ? 'a module by a made name' : undefined;
  });
  expect(loads).toEqual([]);
});

/** Places whose SQL text is not written in the call itself, and why no user can influence it. */
const builtSql: Readonly<Record<string, string>> = {
  'apps/server/src/db/leases.ts': "texts of the file's own, with their parameters apart",
  'apps/server/src/db/sqlite/execute.ts': 'runs what the query builder has compiled, with its parameters apart',
  'apps/server/src/db/sqlite/sqlite-dialect.ts': 'what the query builder has compiled, with its parameters apart',
  'apps/server/src/db/sqlite/read-worker.ts': 'the same, of whom it reads for',
  'apps/server/src/operations/backup/check-backup-schema.ts':
    "pragmas of the file's own, and the table of versions as backup-and-migrate.ts makes it",
  'apps/server/src/db/backup-and-migrate.ts': "a text of the file's own, which functions.ts runs as well",
  'apps/server/src/db/postgres/postgres-dialect.ts': "a number of the file's own",
  'apps/server/src/tools/importers/source-tables.ts': "two numbers of the file's own",
  'apps/server/src/ledger/commit/commit-statements.ts': 'a shorthand, called with texts of the same file',
  'apps/server/src/ledger/budgets/period-usage.ts': 'one of two texts, its own and that of channel-spend.ts',
  'apps/server/src/ledger/commit/commit-batch.ts': 'a shorthand, called with texts of the same file',
  'apps/server/src/db/migrations/0001-foundation.ts': "a trigger for each of two words of the migration's own",
  'apps/server/src/db/migrations/0002-price-versions.ts': "triggers and columns of the migration's own",
};

test('SQL is a literal, or built with separate parameters', () => {
  const statements = new Set(['prepare', 'exec', 'raw']);
  const built = found((node, file) => {
    const name = isCall(node) ? getNodeName(node['callee']) : '';
    if (!statements.has(name) || !file.startsWith('apps/server/') || runsAPattern(node)) return undefined;
    return getCallArguments(node).slice(0, 1).every(isFixedText) ? undefined : name;
  });
  const files = new Set(built.map((line) => line.split(': ', 1)[0]));
  expect(files).toEqual(new Set(Object.keys(builtSql)));
});

/** `pattern.exec(text)` of a regular expression; `exec` of a connection takes a literal. */
function runsAPattern(call: SyntaxNode): boolean {
  const { callee } = call;
  if (!isSyntaxNode(callee) || getNodeName(callee) !== 'exec') return false;
  const { object } = callee;
  return (
    isSyntaxNode(object) &&
    (object['type'] === 'RegExpLiteral' || !/connection|database|db|lock/i.test(getNodeName(object)))
  );
}

test('no line opens a connection without the guard', () => {
  const openers = new Set(['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises', 'undici']);
  const modules = found((node) => [importedFrom(node)].find((name) => name !== undefined && openers.has(name)));
  expect(modules.toSorted()).toEqual([
    'apps/server/src/app.ts: http',
    // Only the classes: to recognize a socket, and to respond to a request whose socket Node has handed over.
    'apps/server/src/app.ts: net',
    // A connection in memory.
    'apps/server/src/gateway/pipeline/internal-request.ts: http',
    'apps/server/src/gateway/realtime/realtime-handshake.ts: http',
    'apps/server/src/platform/outbound/guarded-connector.ts: net',
    // Only the list of ciphers.
    'apps/server/src/platform/outbound/guarded-connector.ts: tls',
    'apps/server/src/platform/outbound/guarded-connector.ts: undici',
    'apps/server/src/platform/outbound/outbound-guard.ts: net',
    'apps/server/src/platform/outbound/outbound.ts: net',
    'apps/server/src/platform/outbound/outbound.ts: undici',
    // On a connection that the guard has opened.
    'apps/server/src/platform/outbound/peer-certificate.ts: net',
    'apps/server/src/platform/outbound/peer-certificate.ts: tls',
    // Only look-ups: the guard checks their results before a connection.
    'apps/server/src/platform/outbound/public-resolver.ts: dns/promises',
    'apps/server/src/platform/outbound/response-framing-guard.ts: net',
    'apps/server/src/platform/outbound/system-resolver.ts: dns',
    'apps/server/src/platform/outbound/system-resolver.ts: dns/promises',
    'apps/server/src/tools/demo/simulated-provider.ts: http',
  ]);
  const globals = found((node) => {
    const callee = node['callee'];
    const isOwn = isCall(node) && isSyntaxNode(callee) && callee['type'] === 'Identifier';
    return isOwn && ['fetch', 'WebSocket', 'EventSource'].includes(getNodeName(callee))
      ? getNodeName(callee)
      : undefined;
  });
  expect(globals).toEqual([]);
});
