import type { Operation, Provider } from '@switchyard/relay';
import { createClientRequest } from './provider-calls.ts';
import { evidenceLevels, type ProviderCases } from './provider-cases.ts';

const operations: readonly Operation[] = [
  'chat',
  'completions',
  'embeddings',
  'images',
  'speech',
  'transcription',
  'moderation',
  'rerank',
  'videos',
  'drawing',
  'music',
];

const marks: Readonly<Record<(typeof evidenceLevels)[number], string>> = {
  recorded: '●',
  documented: '◐',
  schema: '○',
};

const intro = `# Providers

Written by the tests in \`tests/conformance/providers\`. For each mark the exact outgoing request is compared with the
provider's fixture in \`packages/relay/fixtures\`, and the vendor's answer, its errors and its usage are read from it.

● answers seen in recorded traffic · ◐ as the vendor documents it (the first column links its page), in part by way of client
libraries that call it · ○ by the schema of the dialect that the vendor says it speaks, no page shows it · – the vendor does not
offer it, or not in a form that is spoken here
`;

type Row = { provider: Provider; cases: ProviderCases | undefined };

/** Returns the page as Markdown. */
export function writeProviders(rows: readonly Row[]): string {
  const table = [
    `| provider | type | ${operations.join(' | ')} | models | balance |`,
    `|---|---|${operations.map(() => '---').join('|')}|---|---|`,
    ...rows
      .toSorted((a, b) => a.provider.label.localeCompare(b.provider.label, 'en'))
      .map(({ provider, cases }) => {
        const name = cases === undefined ? provider.label : `[${provider.label}](${cases.source})`;
        const cells = operations.map((operation) => formatEvidence(provider, cases, operation));
        const asked = [provider.listModels, provider.readBalance].map((read) => (read === undefined ? '–' : '✓'));
        return `| ${name} | ${provider.channelType} | ${[...cells, ...asked].join(' | ')} |`;
      }),
  ];
  return `${[intro, table.join('\n')].join('\n')}\n`;
}

/** Returns the best source among the cases of an operation. */
function formatEvidence(provider: Provider, cases: ProviderCases | undefined, operation: Operation): string {
  if (provider.endpoints[operation] === undefined) return '–';
  const calls = (cases?.calls ?? []).filter((call) => createClientRequest(call).operation === operation);
  const found = new Set(calls.map((call) => call.proof ?? cases?.proof));
  const best = evidenceLevels.find((proof) => found.has(proof));
  return best === undefined ? 'unverified' : marks[best];
}
