import { type FieldLoss, listLosses } from './losses.ts';
import { type DialectName, dialectNames, type Scenario, scenarios } from './scenario.ts';

export type Cells = { client: DialectName; upstream: DialectName; scenario: Scenario; stream: boolean }[];

const names: Readonly<Record<DialectName, string>> = {
  'openai-chat': 'Chat Completions',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  gemini: 'Gemini',
};

const intro = `# Translation matrix

Written by the tests in \`tests/conformance/matrix\`; a change that breaks a cell fails them. In each cell the vendor's own
client library asks through the whole gateway, and a stand-in that knows only its own dialect answers. It holds that the
stand-in was asked what the client meant, and that the library read what the stand-in said: texts, thoughts, tool calls
with their arguments, why the answer ended, and every counter of its usage, with nothing left out.

● streamed and whole · ◐ one of them · ○ neither
`;

const lossIntro = `## What does not survive

One field at a time, by the dialect of the client. ✓ reaches the model; else the names that the header
\`x-switchyard-dropped\` tells. A token with *Reject lossy translation* refuses these. Towards Messages the model is one that
counts its thinking budget, towards Gemini one of version 2.5.`;

/** Returns the page as Markdown. */
export function writeMatrix(cells: Cells): string {
  const tables = scenarios.map((scenario) => {
    const head = `| client ↓ model behind → | ${dialectNames.map((upstream) => names[upstream]).join(' | ')} |`;
    const rule = `|---|${dialectNames.map(() => '---').join('|')}|`;
    const rows = dialectNames.map((client) => {
      const marks = dialectNames.map((upstream) => formatCell(cells, client, upstream, scenario));
      return `| ${names[client]} | ${marks.join(' | ')} |`;
    });
    return [`## ${scenario.charAt(0).toUpperCase()}${scenario.slice(1)}`, '', head, rule, ...rows].join('\n');
  });
  const losses = dialectNames.map((client) =>
    [`### ${names[client]}`, '', ...formatLossTable(listLosses(client))].join('\n'),
  );
  return `${[intro, ...tables, lossIntro, ...losses].join('\n\n')}\n`;
}

function formatCell(cells: Cells, client: DialectName, upstream: DialectName, scenario: Scenario): string {
  const held = cells.filter(
    (cell) => cell.client === client && cell.upstream === upstream && cell.scenario === scenario,
  );
  return ['○', '◐', '●'][held.length] ?? '●';
}

function formatLossTable(losses: readonly FieldLoss[]): string[] {
  return [
    `| field | ${dialectNames.map((upstream) => names[upstream]).join(' | ')} |`,
    `|---|${dialectNames.map(() => '---').join('|')}|`,
    ...losses.map(
      ({ field, at }) => `| ${field} | ${dialectNames.map((upstream) => at[upstream] || '✓').join(' | ')} |`,
    ),
  ];
}
