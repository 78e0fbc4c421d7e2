import { booleanOf, isObject, type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import type { Tool } from '../../../../model/conversation.ts';
import { customTool } from '../../openai-custom-tools.ts';
import { builtInTool } from '../built-in-tools.ts';
import type { ClientTool } from '../client-tools.ts';

/** Returns the tool as a function. Names of options that are lost are pushed to `unsupported`. */
export function decodeClientTool(tool: ClientTool, unsupported: string[]): Tool {
  const { kind, functionName: name, declared, namespace, aboutNamespace } = tool;
  if (kind !== 'function' && kind !== 'custom') return builtInTool(kind, name, declared);
  dropOptions(kind, declared, unsupported);
  const description = textOf(declared['description']);
  const about =
    aboutNamespace === undefined ? undefined : `About all tools of ${namespace}: ${aboutNamespace}`;
  const descriptions = [description, about].filter((text) => text !== undefined);
  const named = { name, description: descriptions.length === 0 ? undefined : descriptions.join('\n\n') };
  if (kind === 'custom') return customTool(named, objectOf(declared['format']), unsupported);
  const parameters = declared['parameters'] ?? undefined;
  return {
    ...named,
    parameters,
    strict: booleanOf(declared['strict']) ?? (isClosed(parameters) || undefined),
  };
}

const covered: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'format',
]);

/** An option that is off says nothing. */
function dropOptions(kind: string, declared: JsonObject, unsupported: string[]): void {
  for (const [option, value] of Object.entries(declared))
    if (!covered.has(option) && value != null && value !== false) unsupported.push(`tools.${kind}.${option}`);
}

/**
 * Functions are strict here unless told otherwise, where their schema allows it; in the other dialects a schema that
 * does not is refused.
 */
function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const properties = Object.entries(objectOf(schema['properties']));
  const required = new Set(listOf(schema['required']));
  const isObjectSchema = schema['type'] === 'object' && schema['additionalProperties'] === false;
  return (
    isObjectSchema && properties.every(([name, property]) => required.has(name) && isClosedWithin(property))
  );
}

function isClosedWithin(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const isPlain = ['string', 'number', 'integer', 'boolean'].includes(String(schema['type']));
  if (schema['type'] === 'array') return isClosedWithin(schema['items']);
  return isPlain || isClosed(schema);
}
