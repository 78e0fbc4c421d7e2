import type { ModelMetadata } from '@switchyard/contract/catalog/models';

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

export type Ability = keyof typeof abilities;
export const abilityNames = Object.keys(abilities) as Ability[];

export function isAble(facts: ModelMetadata, ability: Ability): boolean {
  return abilities[ability](facts);
}
