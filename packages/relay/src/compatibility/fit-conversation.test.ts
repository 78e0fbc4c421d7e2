import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { isClosedSchema } from './fit-conversation.ts';

const text = { type: 'string' };

/** An object with this one property, closed. */
function closed(property: unknown, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { a: property }, required: ['a'], additionalProperties: false, ...more };
}

describe('a strict schema', () => {
  it.each<[string, JsonObject]>([
    ['closed objects within each other', closed(closed(text))],
    ['a value that may be null', closed({ type: ['string', 'null'], description: 'd' })],
    ['alternatives', closed({ anyOf: [text, closed(text)] })],
    ['values without a type', closed({ enum: ['a', 'b'] })],
    ['a bare reference', closed({ $ref: '#/$defs/A' }, { $defs: { A: text } })],
  ])('can be enforced with %s', (_name, schema) => {
    expect(isClosedSchema(schema)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['an open object', closed({ type: 'object', properties: {} })],
    ['a property that is not required', closed(text, { required: [] })],
    ['a required name without a property', closed(text, { required: ['a', 'b'] })],
    ['a value of which nothing is said', closed({ description: 'anything' })],
    ['an empty schema', closed({})],
    ['something beside a reference', closed({ $ref: '#/$defs/A', description: 'd' }, { $defs: { A: text } })],
    ['a definition that is open', closed({ $ref: '#/$defs/A' }, { $defs: { A: { type: 'object' } } })],
    ['alternatives at the root', closed(text, { anyOf: [{ required: ['a'] }] })],
  ])('cannot be enforced with %s', (_name, schema) => {
    expect(isClosedSchema(schema)).toBe(false);
  });
});
