import type { ModelMetadata } from '@switchyard/contract/catalog/models';
import type { ModelRow } from './model-rows-and-list-price.ts';

export interface RowFilter {
  keyword: string;
  owner: string | undefined;
  group: string | undefined;
  can: Ability | undefined;
}

export function filterRows(rows: readonly ModelRow[], { keyword, owner, group, can }: RowFilter): ModelRow[] {
  const wanted = keyword.toLowerCase();
  return rows.filter(
    (row) =>
      (wanted === '' || wordsOf(row).some((word) => word.toLowerCase().includes(wanted))) &&
      (owner === undefined || row.owner === owner) &&
      (group === undefined || row.groups.includes(group)) &&
      (can === undefined || isAble(row.facts, can)),
  );
}

const wordsOf = ({ name, owner, facts }: ModelRow): string[] => [
  name,
  owner,
  facts.name ?? '',
  facts.description ?? '',
  ...(facts.tags ?? []),
];

/** Abilities by which users filter models, each with a test of the model's metadata. */
const abilities = {
  tools: ({ capabilities = [] }) => capabilities.includes('tools'),
  reasoning: ({ capabilities = [] }) => capabilities.includes('reasoning'),
  'json-schema': ({ capabilities = [] }) => capabilities.includes('json-schema'),
  'web-search': ({ capabilities = [] }) => capabilities.includes('web-search'),
  'reads-images': ({ input = [] }) => input.includes('image'),
  'reads-files': ({ input = [] }) => input.includes('file'),
  'hears-sound': ({ input = [] }) => input.includes('audio'),
  'draws-images': ({ output = [] }) => output.includes('image'),
  'makes-sound': ({ output = [] }) => output.includes('audio'),
  'makes-video': ({ output = [] }) => output.includes('video'),
  embeds: ({ output = [] }) => output.includes('embedding'),
} satisfies Record<string, (facts: ModelMetadata) => boolean>;

type Ability = keyof typeof abilities;
export const abilityNames = Object.keys(abilities) as Ability[];

export function isAble(facts: ModelMetadata, ability: Ability): boolean {
  return abilities[ability](facts);
}
