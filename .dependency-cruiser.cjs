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
const above = (...folders) => folders.map((folder) => `${server}${folder}(/|\\.ts$)`);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    order(
      'contract-is-pure',
      '^packages/contract',
      '^(packages/relay|apps)|node_modules/(?!zod)',
      'The contract knows only the schema library.',
    ),
    order(
      'relay-is-pure',
      '^packages/relay',
      '^(packages/contract|apps)|node_modules/(fastify|kysely|undici|react)',
      'The relay has no database and no HTTP framework.',
    ),
    order(
      'console-knows-only-the-contract',
      '^apps/console',
      '^(packages/relay|apps/server)',
      'The browser never sees server code.',
    ),
    order(
      'server-knows-no-console',
      '^apps/server',
      '^apps/console',
      'The console is served as built files.',
    ),
    order(
      'formats-know-no-vendor',
      '^packages/relay/src/formats',
      '^packages/relay/src/providers',
      'A format is a dialect.',
    ),
    order(
      'wire-is-the-bottom',
      '^packages/relay/src/wire',
      '^packages/relay/src/(formats|providers|relay)',
      'Framing knows no dialect.',
    ),
    {
      name: 'formats-are-strangers',
      severity: 'error',
      from: { path: '^packages/relay/src/formats/([^/]+)/' },
      to: { path: '^packages/relay/src/formats/([^/]+)/', pathNot: '^packages/relay/src/formats/$1/' },
    },
    {
      name: 'providers-are-strangers',
      severity: 'error',
      from: {
        path: '^packages/relay/src/providers/([^/.]+)',
        pathNot: '^packages/relay/src/providers/providers',
      },
      to: { path: '^packages/relay/src/providers/', pathNot: '^packages/relay/src/providers/$1' },
    },
    order(
      'platform-is-the-bottom',
      `${server}platform`,
      above(
        'db',
        'ledger',
        'features',
        'documents',
        'payments',
        'notify',
        'tasks',
        'works',
        'batches',
        'jobs',
        'gateway',
        'build-app',
        'main',
      ),
      'platform ◀ everything',
    ),
    order(
      'db-knows-no-feature',
      `${server}db/(?!migrations|schema)`,
      above(
        'features',
        'documents',
        'payments',
        'notify',
        'tasks',
        'works',
        'batches',
        'jobs',
        'gateway',
        'build-app',
        'main',
      ),
      'db ◀ ledger ◀ features',
    ),
    order(
      'ledger-knows-no-feature',
      `${server}ledger`,
      above(
        'features',
        'documents',
        'payments',
        'notify',
        'tasks',
        'works',
        'batches',
        'jobs',
        'gateway',
        'build-app',
        'main',
      ),
      'ledger ◀ features',
    ),
    order(
      'features-know-no-gateway',
      `${server}(features|documents|payments|notify|tasks|works|batches)`,
      above('jobs', 'gateway', 'build-app', 'main', 'demo'),
      'features ◀ jobs, gateway',
    ),
    order(
      'imports-know-no-gateway',
      `${server}imports`,
      above('jobs', 'gateway', 'build-app', 'main', 'demo', 'cli'),
      'features ◀ imports ◀ cli',
    ),
    order(
      'nobody-knows-imports',
      `${server}(?!imports/|cli/|testing/|db/schema)`,
      `${server}imports/(?!table)`,
      'Only the command takes installations over.',
    ),
    order(
      'works-know-no-feature',
      `${server}works`,
      above('features', 'documents', 'payments', 'notify', 'tasks'),
      'works ◀ features, tasks',
    ),
    order(
      'gateway-knows-no-app',
      `${server}(gateway|jobs)`,
      above('build-app', 'main', 'demo'),
      'gateway ◀ build-app ◀ main',
    ),
    order(
      'documents-know-no-feature',
      `${server}documents`,
      above('features', 'payments', 'notify', 'tasks', 'works', 'batches'),
      'documents ◀ features',
    ),
    order(
      'payments-know-no-feature',
      `${server}payments`,
      above('features', 'documents', 'notify', 'tasks', 'works', 'batches'),
      'payments ◀ features',
    ),
    {
      name: 'processors-are-strangers',
      severity: 'error',
      from: { path: `${server}payments/processors/([^/.]+)` },
      to: { path: `${server}payments/processors/`, pathNot: `${server}payments/processors/$1` },
    },
    {
      name: 'front-door-only',
      severity: 'error',
      comment:
        'Another folder is entered through the file that is named after it (or its table, which types rows).',
      from: {
        path: `${server}(features/[^/]+|documents|payments|works|ledger|batches|gateway|jobs|imports)/`,
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: `${server}(features/[^/]+|documents|payments|works|ledger|batches|gateway|jobs|imports)/`,
        pathNot: [`${server}$1/`, '/([^/]+)/\\1\\.ts$', '/table\\.ts$'],
      },
    },
    {
      name: 'only-the-ledger-touches-ledger-tables',
      severity: 'error',
      from: { path: server, pathNot: [`${server}(ledger|db|testing)/`, '\\.test\\.ts$'] },
      to: { path: `${server}ledger/table\\.ts$` },
    },
    order(
      'ui-knows-no-feature',
      '^apps/console/src/(ui|i18n)',
      '^apps/console/src/(features|app)/',
      'ui ◀ features ◀ app',
    ),
    order('features-know-no-app', '^apps/console/src/features', '^apps/console/src/app/', 'features ◀ app'),
    {
      name: 'console-features-are-strangers',
      severity: 'error',
      comment: "A feature may use another's queries.ts, nothing else.",
      from: { path: '^apps/console/src/features/([^/]+)/', pathNot: '\\.test\\.tsx?$' },
      to: {
        path: '^apps/console/src/features/([^/]+)/',
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
