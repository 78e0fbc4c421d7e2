import { type JsonObject, listOf, objectOf, textOf, textsIn } from '../../../../json/json.ts';
import type { Conversation, TextPart, Tool, VendorTool } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { readTools } from '../../../../tokens/external-content-and-tools.ts';
import { listUnknownFields, readField } from '../snake-and-camel-case-fields.ts';
import { decodeConfig, toJsonSchema } from './decode-config-and-schema.ts';
import { decodeContents } from './decode-contents.ts';

const covered = new Set(['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig']); // prettier-ignore

/** @throws InvalidRequestError */
export function decodeRequest(body: JsonObject): Conversation {
  if (readField(body, 'cachedContent') != null) {
    throw new InvalidRequestError(
      'cachedContent is stored at Google and cannot be used with this model.',
      'cachedContent',
    );
  }
  const unsupported = listUnknownFields(body, covered);
  const tools = decodeTools(readTools(body), unsupported);
  const choice = decodeToolChoice(objectOf(readField(body, 'toolConfig')), tools.tools, unsupported);
  return {
    system: decodeSystem(readField(body, 'systemInstruction'), unsupported),
    turns: decodeContents(listOf(body['contents']), unsupported),
    vendorTools: tools.vendorTools,
    ...choice,
    ...decodeConfig(objectOf(readField(body, 'generationConfig')), unsupported),
    unsupported,
  };
}

/**
 * Decodes the system instruction. Google's libraries write a content; the API also accepts a text, a part or a list
 * of them.
 */
function decodeSystem(instruction: unknown, unsupported: string[]): TextPart[] {
  const text = textOf(instruction);
  if (text !== undefined) return [{ type: 'text', text }];
  const parts = Array.isArray(instruction) ? instruction : (objectOf(instruction)['parts'] ?? [instruction ?? {}]);
  return (Array.isArray(parts) ? parts : [parts]).flatMap((value: unknown) => {
    const part = objectOf(value);
    const text = textOf(value) ?? textOf(part['text']);
    if (text !== undefined) return [{ type: 'text' as const, text }];
    for (const name of listUnknownFields(part, new Set(['text']))) unsupported.push(`systemInstruction.${name}`);
    return [];
  });
}

const vendorToolTypes = new Map<string, VendorTool['type']>([
  ['googleSearch', 'web-search'],
  ['googleSearchRetrieval', 'web-search'],
  ['codeExecution', 'code-execution'],
  ['urlContext', 'url-fetch'],
]);
const known = new Set(['functionDeclarations', ...vendorToolTypes.keys()]);
const knownOfFunctions = new Set(['name', 'description', 'parameters', 'parametersJsonSchema']);

function decodeTools(
  values: readonly JsonObject[],
  unsupported: string[],
): Pick<Conversation, 'tools' | 'vendorTools'> {
  const tools: Tool[] = [];
  const vendorTools: VendorTool[] = [];
  for (const [index, value] of values.entries()) {
    for (const name of listUnknownFields(value, known)) unsupported.push(`tools.${name}`);
    for (const declaration of listOf(readField(value, 'functionDeclarations')))
      tools.push(decodeFunction(objectOf(declaration), index, unsupported));
    for (const [name, type] of vendorToolTypes) {
      const options = readField(value, name);
      if (options == null) continue;
      vendorTools.push({ type });
      for (const option of Object.keys(objectOf(options))) unsupported.push(`tools.${name}.${option}`);
    }
  }
  return { tools, vendorTools };
}

function decodeFunction(declaration: JsonObject, index: number, unsupported: string[]): Tool {
  const name = textOf(declaration['name']);
  if (name === undefined)
    throw new InvalidRequestError(`tools[${index}] declares a function without a name. Add one.`, 'tools');
  for (const unknown of listUnknownFields(declaration, knownOfFunctions))
    unsupported.push(`tools.functionDeclarations.${unknown}`);
  const schema = readField(declaration, 'parametersJsonSchema') ?? toJsonSchema(declaration['parameters']);
  return { name, description: textOf(declaration['description']), parameters: schema ?? undefined };
}

/** Decodes the tool choice. For dialects without a list of allowed functions, only these functions are kept. */
function decodeToolChoice(
  config: JsonObject,
  tools: Tool[],
  unsupported: string[],
): Pick<Conversation, 'tools' | 'toolChoice'> {
  for (const name of listUnknownFields(config, new Set(['functionCallingConfig'])))
    unsupported.push(`toolConfig.${name}`);
  const calling = objectOf(readField(config, 'functionCallingConfig'));
  const names = textsIn(readField(calling, 'allowedFunctionNames'));
  const nameSet = new Set(names);
  const allowed = names.length === 0 ? tools : tools.filter((tool) => nameSet.has(tool.name));
  const [only] = names;
  switch ((textOf(calling['mode']) ?? '').toUpperCase()) {
    case 'AUTO':
      return { tools, toolChoice: { type: 'auto' } };
    case 'NONE':
      return { tools, toolChoice: { type: 'none' } };
    case 'ANY':
      if (only !== undefined && names.length === 1) return { tools: allowed, toolChoice: { type: 'tool', name: only } };
      return { tools: allowed, toolChoice: { type: 'required' } };
    case 'VALIDATED':
      return { tools: allowed, toolChoice: { type: 'auto' } };
    default:
      return { tools };
  }
}
