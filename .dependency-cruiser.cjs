/**
 * The directions of docs/architecture.md as rules. `$1` refers back to a group matched in `from`.
 * Run through scripts/check-boundaries.ts, which also fails when too few modules were seen.
 */
const order = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: to },
});

const server = '^apps/server/src/';
const below = (...folders) => folders.map((folder) => `${server}${folder}(/|\\.ts$)`);
/** Wings of the server that hold one folder for each feature. */
const WINGS = '(?:accounts|billing|catalog|operations|tools|usage)';
/** Parts of the server that are one room, or rooms that know each other. */
const PARTS = '(?:artifacts|batches|channels|gateway|idempotency|ledger|playground|responses|tasks)';
const FEATURE = `(${WINGS}/[^/]+|${PARTS})`;
/** Everything that belongs to the product, above `platform` and `db`. */
const product = [
  'accounts',
  'artifacts',
  'batches',
  'billing',
  'catalog',
  'channels',
  'idempotency',
  'operations',
  'playground',
];
const features = [...product, 'responses', 'tasks', 'usage'];
const entries = ['app', 'management-api', 'main', 'start-server', 'tools'];

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    order(
      'contract-is-pure',
      '^packages/contract',
      '^(packages/relay|apps)|node_modules/(?!zod)',
      'The contract depends on the schema library only.',
    ),
    order(
      'relay-is-pure',
      '^packages/relay',
      '^(packages/contract|apps)|node_modules/(fastify|kysely|undici|react)',
      'The relay has no database and no HTTP framework.',
    ),
    order(
      'console-uses-only-the-contract',
      '^apps/console',
      '^(packages/relay|apps/server)',
      'The browser never loads server code.',
    ),
    order('server-without-console', '^apps/server', '^apps/console', 'The console is served as built files.'),
    order(
      'dialects-without-providers',
      '^packages/relay/src/dialects',
      '^packages/relay/src/(provider-kit|providers)',
      'A dialect is spoken by many providers.',
    ),
    order(
      'wire-at-the-bottom',
      '^packages/relay/src/wire',
      '^packages/relay/src/(dialects|provider-kit|providers|relay)',
      'Framing knows no dialect.',
    ),
    {
      name: 'chat-dialects-are-independent',
      severity: 'error',
      from: { path: '^packages/relay/src/dialects/chat/([^/]+)/' },
      to: { path: '^packages/relay/src/dialects/chat/([^/]+)/', pathNot: '^packages/relay/src/dialects/chat/$1/' },
    },
    {
      name: 'providers-are-independent',
      severity: 'error',
      from: { path: '^packages/relay/src/providers/([^/.]+)', pathNot: '^packages/relay/src/providers/providers' },
      to: { path: '^packages/relay/src/providers/', pathNot: '^packages/relay/src/providers/$1' },
    },
    order(
      'platform-at-the-bottom',
      `${server}platform`,
      below('db', 'ledger', 'gateway', ...features, ...entries),
      'platform ◀ everything',
    ),
    order(
      'db-without-product',
      `${server}db/(?!migrations)`,
      below('gateway', ...features, ...entries),
      'db ◀ ledger ◀ features',
    ),
    order('ledger-without-features', `${server}ledger`, below('gateway', ...features, ...entries), 'ledger ◀ features'),
    {
      name: 'features-without-gateway',
      severity: 'error',
      comment: 'features ◀ gateway; jobs run what the gateway knows as well.',
      from: { path: below(...features), pathNot: `${server}operations/jobs/` },
      to: { path: below('gateway', ...entries) },
    },
    {
      name: 'features-without-jobs-and-metrics',
      severity: 'error',
      comment: 'Features count through the context: features ◀ metrics, jobs.',
      from: { path: below(...features), pathNot: `${server}operations/(jobs|metrics)/` },
      to: { path: `${server}operations/(jobs|metrics)/` },
    },
    order(
      'gateway-without-entries',
      [`${server}gateway/`, `${server}operations/jobs/`],
      below(...entries),
      'gateway ◀ app ◀ main',
    ),
    order(
      'importers-without-gateway',
      `${server}tools/importers`,
      [...below('gateway', 'app', 'main'), `${server}operations/jobs/`, `${server}tools/(cli|demo)/`],
      'features ◀ importers ◀ cli',
    ),
    order(
      'only-cli-imports-installations',
      `${server}(?!tools/|testing/|schema)`,
      `${server}tools/importers/(?!table)`,
      'Only the command migrates installations.',
    ),
    order(
      'config-file-without-database',
      `${server}tools/config-file`,
      [
        ...below('ledger', 'gateway', 'app', 'main'),
        `${server}operations/jobs/`,
        `${server}tools/(cli|demo|importers)/`,
      ],
      'It calls a running server through its API.',
    ),
    order(
      'only-cli-uses-config-file',
      `${server}(?!tools/)`,
      `${server}tools/config-file/`,
      'Only the command compares an installation with a file.',
    ),
    order(
      'artifacts-without-features',
      `${server}artifacts`,
      below(...features.filter((name) => name !== 'artifacts')),
      'artifacts ◀ features',
    ),
    order(
      'backup-without-features',
      `${server}operations/backup`,
      [
        ...below('ledger', 'gateway', ...features.filter((name) => name !== 'operations')),
        `${server}operations/(?!backup/)`,
      ],
      'db ◀ backup ◀ features',
    ),
    order(
      'documents-and-payments-without-features',
      `${server}billing/(pdf-documents|payment-integrations)`,
      [
        ...below(...features.filter((name) => name !== 'billing')),
        `${server}billing/(?!pdf-documents/|payment-integrations/)`,
      ],
      'pdf-documents, payment-integrations ◀ billing',
    ),
    {
      name: 'payment-providers-are-independent',
      severity: 'error',
      from: { path: `${server}billing/payment-integrations/providers/([^/.]+)` },
      to: {
        path: `${server}billing/payment-integrations/providers/`,
        pathNot: `${server}billing/payment-integrations/providers/$1`,
      },
    },
    {
      name: 'front-door-only',
      severity: 'error',
      comment: 'Another feature is entered through the file of its name, or its table, which types rows.',
      from: { path: `${server}${FEATURE}/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: `${server}${FEATURE}/`,
        pathNot: [`${server}$1/`, '/([^/]+)/(?:channel-)?\\1\\.ts$', '/table\\.ts$'],
      },
    },
    {
      name: 'only-the-ledger-uses-its-tables',
      severity: 'error',
      from: { path: server, pathNot: [`${server}(ledger|db|testing)/`, `${server}schema\\.ts$`, '\\.test\\.ts$'] },
      to: { path: `${server}ledger/table\\.ts$` },
    },
    order(
      'ui-without-features',
      '^apps/console/src/(ui|i18n)',
      '^apps/console/src/(features|app)/',
      'ui ◀ features ◀ app',
    ),
    order('features-without-app', '^apps/console/src/features', '^apps/console/src/app/', 'features ◀ app'),
    {
      name: 'console-features-are-independent',
      severity: 'error',
      comment: "A feature may use another's queries.ts, nothing else.",
      from: { path: '^apps/console/src/features/(channels|playground|[^/]+/[^/]+)/', pathNot: '\\.test\\.tsx?$' },
      to: {
        path: '^apps/console/src/features/(channels|playground|[^/]+/[^/]+)/',
        pathNot: ['^apps/console/src/features/$1/', '/queries\\.ts$'],
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(dist|fixtures|\\.gen\\.)' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
