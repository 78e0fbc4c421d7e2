import { isObject, type JsonObject, textOf, textsIn } from '../json/json.ts';
import { everySchema, mapSchemas } from './json-schema-references.ts';

/**
 * Keywords that constrained decoding at Anthropic and Amazon refuses.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
const unsupported: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'not',
  'if',
  'then',
  'else',
]);

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/**
 * Converts a JSON Schema to the subset that these vendors can enforce: objects without additional properties, and no
 * limits. The description tells the model of a limit instead. `oneOf` becomes `anyOf`.
 * @param lose takes the names of the keywords that are not enforced
 */
export function toClosedSchema(schema: unknown, lose: (keyword: string) => void): unknown {
  return mapSchemas(schema, (inner) => closeObject(inner, lose));
}

/** Converts the schema of a tool's arguments in the same way. @param dropped takes the names */
export function toStrictSchema(schema: unknown, dropped: string[]): unknown {
  return toClosedSchema(schema, (keyword) => {
    dropped.push(`tools.parameters.${keyword}`);
  });
}

function closeObject(schema: JsonObject, lose: (keyword: string) => void): JsonObject {
  const entries = Object.entries(schema);
  const refused = entries.filter(([keyword, value]) => isRefusedKeyword(keyword, value));
  for (const [keyword] of refused) lose(keyword);
  const kept = Object.fromEntries(entries.filter(([keyword, value]) => !isRefusedKeyword(keyword, value)));
  const { oneOf, ...others } = kept;
  const alternatives = oneOf === undefined ? others : { ...others, anyOf: others['anyOf'] ?? oneOf };
  if (oneOf !== undefined && others['anyOf'] !== undefined) lose('oneOf');
  const isObjectSchema = schema['type'] === 'object' || schema['properties'] !== undefined;
  if (isObjectSchema && isObject(schema['additionalProperties'])) lose('additionalProperties');
  return {
    ...alternatives,
    ...(refused.length > 0 && { description: describeLimits(textOf(schema['description']), refused) }),
    ...(isObjectSchema && { additionalProperties: false }),
  };
}

/**
 * Returns whether the keyword is refused. A list may have a minimum of zero or one item; other limits are refused.
 */
function isRefusedKeyword(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return !formats.has(value);
  return unsupported.has(keyword) && !(keyword === 'minItems' && (value === 0 || value === 1));
}

function describeLimits(description: string | undefined, refused: readonly (readonly [string, unknown])[]): string {
  const told = refused.map(([keyword, value]) => `${keyword}: ${textOf(value) ?? JSON.stringify(value)}`).join(', ');
  return description === undefined ? `(${told})` : `${description} (${told})`;
}

/**
 * Keywords that OpenAI refuses under `strict`.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
const refusedByOpenai = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'minLength',
  'maxLength',
];

/** Keywords of which a schema needs one: without any it is refused under `strict` ("must have a 'type' key"). */
const saying = ['type', '$ref', 'anyOf', 'enum', 'const'];

/**
 * Returns true if a schema satisfies `strict` where that requires closed objects: all properties required, no others
 * named or allowed, nothing beside a reference ("$ref cannot have keywords"), and no keywords that constrained decoding
 * doesn't know.
 */
export function isClosedSchema(schema: unknown): boolean {
  return isObject(schema) && schema['anyOf'] === undefined && everySchema(schema, isClosed);
}

function isClosed(schema: JsonObject): boolean {
  if (refusedByOpenai.some((keyword) => schema[keyword] !== undefined)) return false;
  if (!saying.some((keyword) => schema[keyword] !== undefined)) return false;
  if (schema['$ref'] !== undefined) return Object.keys(schema).length === 1;
  const { type, properties } = schema;
  const isObjectSchema =
    type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;
  if (!isObjectSchema) return true;
  const required = new Set(textsIn(schema['required']));
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  const isSame = names.size === required.size && [...names].every((name) => required.has(name));
  return schema['additionalProperties'] === false && isSame;
}
