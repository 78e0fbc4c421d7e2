import { isObject, type JsonObject, textsIn } from '../json.ts';
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

/**
 * Whether a schema can be held to where `strict` wants each object closed: all of its properties required, no others
 * allowed, and none of the keywords that constrained decoding does not know.
 */
export function isClosedSchema(schema: unknown): boolean {
  return isObject(schema) && schema['anyOf'] === undefined && everySchema(schema, isClosed);
}

function isClosed(schema: JsonObject): boolean {
  if (refused.some((keyword) => schema[keyword] !== undefined)) return false;
  const { type, properties } = schema;
  const isObjectSchema =
    type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;
  if (!isObjectSchema) return true;
  const required = new Set(textsIn(schema['required']));
  const names = isObject(properties) ? Object.keys(properties) : [];
  return schema['additionalProperties'] === false && names.every((name) => required.has(name));
}
