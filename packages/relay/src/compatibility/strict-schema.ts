import { isObject, type JsonObject, textsIn } from '../json/json.ts';
import { everySchema } from './schema-walk.ts';

/** Refused under `strict` by OpenAI. https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const refused = [
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

/** One of these says what a value may be; a schema without any is refused under `strict` ("must have a 'type' key"). */
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
  if (refused.some((keyword) => schema[keyword] !== undefined)) return false;
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
