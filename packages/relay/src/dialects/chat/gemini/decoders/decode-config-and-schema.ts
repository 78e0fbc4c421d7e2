import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  parseNumber,
  textOf,
  textsIn,
} from '../../../../json/json.ts';
import type { Conversation, OutputFormat, ReasoningEffort } from '../../../../model/conversation.ts';
import { listUnknownFields, readField } from '../snake-and-camel-case-fields.ts';

const covered = new Set([
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'speechConfig',
  'thinkingConfig',
]); // prettier-ignore

const efforts = new Map<unknown, ReasoningEffort>([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);

const outputKinds = ['text', 'image', 'audio'] as const;
/** Keywords whose members are names that the schema's author chose. */
const nameMaps = new Set(['properties', '$defs', 'defs', 'definitions']);
const verbatim = new Set(['enum', 'const', 'default', 'required', 'example', 'examples']);
/** 64-bit integers are strings in Google's JSON. */
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']); // prettier-ignore
const camelCased: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
};

/** Decodes `generationConfig`. */
export function decodeConfig(config: JsonObject, unsupported: string[]): Partial<Conversation> {
  for (const name of listUnknownFields(config, covered)) unsupported.push(`generationConfig.${name}`);
  const number = (name: string): number | undefined => numberOf(readField(config, name));
  const stops = textsIn(readField(config, 'stopSequences'));
  const wantsLogprobs = readField(config, 'responseLogprobs') === true;
  return {
    maxOutputTokens: number('maxOutputTokens'),
    temperature: number('temperature'),
    topP: number('topP'),
    topK: number('topK'),
    seed: number('seed'),
    stop: stops.length > 0 ? stops : undefined,
    presencePenalty: number('presencePenalty'),
    frequencyPenalty: number('frequencyPenalty'),
    logprobs: wantsLogprobs ? (number('logprobs') ?? 0) : undefined,
    choices: number('candidateCount'),
    reasoning: decodeThinking(readField(config, 'thinkingConfig')),
    outputFormat: decodeOutputFormat(config, unsupported),
    outputKinds: decodeKinds(listOf(readField(config, 'responseModalities'))),
    speech: decodeSpeech(objectOf(readField(config, 'speechConfig')), unsupported),
  };
}

/** Decodes thinking. A budget of -1 leaves it to the model, like no budget. */
function decodeThinking(value: unknown): Conversation['reasoning'] {
  const config = objectOf(value);
  const level = readField(config, 'thinkingLevel');
  const effort = efforts.get(typeof level === 'string' ? level.toUpperCase() : level);
  const budget = numberOf(readField(config, 'thinkingBudget'));
  const isShown = booleanOf(readField(config, 'includeThoughts'));
  if (effort !== undefined) return { effort, isShown };
  if (budget === 0) return { effort: 'none' };
  if (budget !== undefined && budget > 0) return { budgetTokens: budget, isShown };
  return isShown === undefined ? undefined : { isShown };
}

function decodeOutputFormat(config: JsonObject, unsupported: string[]): OutputFormat | undefined {
  const type = textOf(readField(config, 'responseMimeType')) ?? 'text/plain';
  if (type === 'text/plain') return undefined;
  if (type !== 'application/json') {
    unsupported.push('generationConfig.responseMimeType');
    return undefined;
  }
  const schema = readField(config, 'responseJsonSchema') ?? toJsonSchema(readField(config, 'responseSchema'));
  return schema == null ? { type: 'json' } : { type: 'json-schema', name: 'answer', schema };
}

function decodeKinds(modalities: readonly unknown[]): Conversation['outputKinds'] {
  const named = new Set(modalities.map((modality) => textOf(modality)?.toLowerCase()));
  const kinds = outputKinds.filter((kind) => named.has(kind));
  return kinds.length === 0 || kinds.join() === 'text' ? undefined : kinds;
}

function decodeSpeech(config: JsonObject, unsupported: string[]): Conversation['speech'] {
  for (const name of listUnknownFields(config, new Set(['voiceConfig'])))
    unsupported.push(`generationConfig.speechConfig.${name}`);
  const prebuilt = objectOf(readField(objectOf(readField(config, 'voiceConfig')), 'prebuiltVoiceConfig'));
  const voice = textOf(readField(prebuilt, 'voiceName'));
  return voice === undefined ? undefined : { voice };
}

/** Converts a schema in Google's OpenAPI form (`type: 'STRING'`, `nullable`) to JSON Schema. */
export function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema)
    .map(([name, value]) => [(Object.hasOwn(camelCased, name) ? camelCased[name] : undefined) ?? name, value] as const)
    .filter(([keyword]) => keyword !== 'nullable' && keyword !== 'propertyOrdering')
    .map(([keyword, value]) => [keyword, keywordValue(keyword, value)] as const);
  return withNull(Object.fromEntries(entries), schema['nullable'] === true);
}

function keywordValue(keyword: string, value: unknown): unknown {
  if (verbatim.has(keyword) || typeof value === 'bigint') return value;
  if (keyword === 'type') return typeOf(value);
  if (counts.has(keyword)) return parseNumber(value) ?? value;
  if (!nameMaps.has(keyword) || !isObject(value)) return toJsonSchema(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typeOf);
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function withNull(schema: JsonObject, isNullable: boolean): JsonObject {
  if (!isNullable) return schema;
  const { type } = schema;
  if (typeof type === 'string') {
    const options = schema['enum'];
    return {
      ...schema,
      type: [type, 'null'],
      ...(Array.isArray(options) && !options.includes(null) && { enum: [...options, null] }),
    };
  }
  return schema['anyOf'] === undefined ? schema : { ...schema, anyOf: [...[schema['anyOf']].flat(), { type: 'null' }] };
}
