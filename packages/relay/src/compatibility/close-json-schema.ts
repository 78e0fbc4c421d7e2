import { isObject, type JsonObject, textOf } from '../json/json.ts';
import { mapSchemas } from './json-schema-walk.ts';

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
