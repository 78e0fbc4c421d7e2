/** Streams to be mutated: the repository's fixtures, scripted vendors, and recorded traffic if it is found. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSseEvents } from '@switchyard/relay';
import { answersByScenario, type Scenario, type ScriptedDialect } from './matrix/scenario.ts';
import { anthropicMessages } from './matrix/upstream-anthropic-messages.ts';
import { gemini } from './matrix/upstream-gemini.ts';
import { openaiChat } from './matrix/upstream-openai-chat.ts';
import { openaiResponses } from './matrix/upstream-openai-responses.ts';
import { type Dialect, recordings } from './recorded-files.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface StreamSource {
  name: string;
  dialect: Dialect;
  /** JSON payloads. */
  events: readonly string[];
}

const fixtures = path.resolve(import.meta.dirname, '../../packages/relay/fixtures');
const dialectOfFolder: Readonly<Record<string, Dialect>> = {
  openai: 'openai-chat',
  azure: 'openai-chat',
  anthropic: 'anthropic-messages',
  gemini: 'gemini',
};

const vendors: readonly (readonly [Dialect, ScriptedDialect])[] = [
  ['openai-chat', openaiChat],
  ['anthropic-messages', anthropicMessages],
  ['openai-responses', openaiResponses],
  ['gemini', gemini],
];
const scenarios: readonly Scenario[] = ['text', 'tools', 'parallel tools', 'reasoning'];

function parsePayloads(bytes: Buffer): string[] {
  return parseSseEvents(bytes).flatMap(({ data }) => (data.startsWith('{') ? [data] : []));
}

const fromFixtures = globSync('*/*.sse', { cwd: fixtures })
  .toSorted()
  .flatMap((name): StreamSource[] => {
    const dialect = dialectOfFolder[path.dirname(name)];
    if (dialect === undefined) return [];
    return [{ name, dialect, events: parsePayloads(readFileSync(path.join(fixtures, name))) }];
  });

const fromStandIns = vendors.flatMap(([dialect, vendor]) =>
  scenarios.map((scenario): StreamSource => {
    const events = parsePayloads(Buffer.from(vendor.formatEvents(answersByScenario[scenario], 'model').join('')));
    return { name: `stand-in: ${scenario}`, dialect, events };
  }),
);

export const sources: readonly StreamSource[] = [
  ...fromFixtures,
  ...fromStandIns,
  ...recordings.filter(({ isStream }) => isStream),
];

const RUN_MAX = 5;
const LONG_EVENT = 5_000;

/** Beginning, a part of the middle, and end: as meaningful as the whole stream, and a hundred times faster to play. */
export function takeExcerpt({ events }: StreamSource, random: SeededRandom): string[] {
  const begin = 2 + random.below(3);
  const rest = Math.max(begin, events.length - 1 - random.below(3));
  const from = begin + random.below(Math.max(1, rest - begin));
  const middle = events.slice(from, Math.min(rest, from + random.below(RUN_MAX)));
  const excerpt = [...events.slice(0, begin), ...middle, ...events.slice(rest)];
  return random.chance(0.01) ? excerpt : excerpt.filter(({ length }) => length < LONG_EVENT);
}
