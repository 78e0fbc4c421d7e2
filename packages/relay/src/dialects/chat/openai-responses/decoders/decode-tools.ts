import { CopyBudget } from '../../../../compatibility/json-schema-references.ts';
import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsIn,
  textOf,
  textsIn,
} from '../../../../json/json.ts';
import {
  type Conversation,
  readLocation,
  type Tool,
  type ToolChoice,
  type VendorTool,
} from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { decodeLevel, toFunctionTool } from '../../openai-fields-and-tools.ts';
import { createBuiltInTool } from '../built-in-client-tools.ts';
import { type ClientTool, type ClientTools, getToolKind, isNamed, listDeclaredTools } from '../client-tools.ts';

type Tools = Pick<Conversation, 'tools' | 'vendorTools'>;

/** @throws InvalidRequestError */
export function decodeTools(body: JsonObject, own: ClientTools, unsupported: string[]): Tools {
  const vendorTools = new Map<string, VendorTool>();
  for (const [index, tool] of listDeclaredTools(body).entries()) {
    const type = textOf(tool['type']) ?? 'unknown';
    const vendorTool = decodeVendorTool(type, tool);
    // A tool that is declared again during the conversation counts once.
    if (vendorTool !== undefined) vendorTools.set(JSON.stringify(tool), vendorTool);
    else if (type === 'namespace')
      for (const member of listOf(tool['tools'])) requireName(objectOf(member), index, body);
    else if (getToolKind(tool) === undefined) unsupported.push(`tools.${type}`);
    else requireName(tool, index, body);
  }
  const budget = new CopyBudget(listDeclaredTools(body));
  const tools = own.all.map((tool) => {
    const decoded = decodeClientTool(tool, unsupported);
    checkGrowth(tool, decoded, budget);
    return decoded;
  });
  return { tools, vendorTools: [...vendorTools.values()] };
}

/**
 * Checks what a tool has as a function and not in its declaration: the schema of a built-in tool, which each namespace
 * may contain, and the name of its namespace.
 * @throws InvalidRequestError if the tools become many times as long
 */
function checkGrowth({ kind, namespace = '' }: ClientTool, { parameters }: Tool, budget: CopyBudget): void {
  if (kind === 'function' && namespace === '') return;
  const schema = kind === 'function' ? '' : JSON.stringify(parameters);
  if (budget.take(namespace.length + schema.length)) return;
  const message = "The tools become too long in the format of this model's provider.";
  throw new InvalidRequestError(`${message} Declare fewer of them in namespaces, and shorten the namespaces.`, 'tools');
}

/**
 * @param index position in the tools of the body, which the tools of its input follow
 * @throws InvalidRequestError
 */
function requireName(tool: JsonObject, index: number, { tools }: JsonObject): void {
  const kind = getToolKind(tool);
  if (kind === undefined || !isNamed(kind) || textOf(tool['name']) !== undefined) return;
  const place = index < listOf(tools).length ? `tools[${index}]` : 'An item of input';
  throw new InvalidRequestError(`${place} declares a tool of the type ${kind} without a name. Add one.`, 'tools');
}

function decodeVendorTool(type: string, tool: JsonObject): VendorTool | undefined {
  if (webSearchType.test(type)) return decodeWebSearch(tool);
  return type === 'code_interpreter' ? { type: 'code-execution' } : undefined;
}

const webSearchType = /^web_search(_preview)?(_\d{4}_\d\d_\d\d)?$/;

function decodeWebSearch(tool: JsonObject): VendorTool {
  const domains = textsIn(objectOf(tool['filters'])['allowed_domains']);
  return {
    type: 'web-search',
    contextSize: decodeLevel(tool['search_context_size']),
    allowedDomains: domains.length > 0 ? domains : undefined,
    userLocation: readLocation(tool['user_location']),
  };
}

export function decodeToolChoice(choice: unknown, own: ClientTools, unsupported: string[]): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice };
  if (!isObject(choice)) return undefined;
  if (choice['type'] === 'allowed_tools') return { type: choice['mode'] === 'required' ? 'required' : 'auto' };
  const [meant] = own.resolveEntry(choice);
  const isNamed = choice['type'] === 'function' || choice['type'] === 'custom';
  const name = meant?.functionName ?? (isNamed ? textOf(choice['name']) : undefined);
  if (name !== undefined) return { type: 'tool', name };
  unsupported.push('tool_choice');
  return undefined;
}

/** Returns the allowed tools, for dialects without such a choice. */
export function allowedTools(declared: Tools, choice: unknown, own: ClientTools): Tools {
  if (!isObject(choice) || choice['type'] !== 'allowed_tools') return declared;
  const allowed = objectsIn(choice['tools']);
  // A namespace of thousands of tools may be named thousands of times.
  const meant = new Set(allowed.map((tool) => own.resolveEntry(tool)));
  const names = new Set([...meant].flatMap((tools) => tools.map((tool) => tool.functionName)));
  const types = new Set(allowed.map((tool) => decodeVendorTool(textOf(tool['type']) ?? '', tool)?.type));
  return {
    tools: declared.tools.filter((tool) => names.has(tool.name)),
    vendorTools: declared.vendorTools.filter((tool) => types.has(tool.type)),
  };
}

/** Returns the tool as a function. Pushes the names of unsupported options to `unsupported`. */
function decodeClientTool(tool: ClientTool, unsupported: string[]): Tool {
  const { kind, functionName: name, declaration, namespace, namespaceDescription } = tool;
  if (kind !== 'function' && kind !== 'custom') return createBuiltInTool(kind, name, declaration);
  dropOptions(kind, declaration, unsupported);
  const description = textOf(declaration['description']);
  const about =
    namespaceDescription === undefined ? undefined : `About all tools of ${namespace}: ${namespaceDescription}`;
  const descriptions = [description, about].filter((text) => text !== undefined);
  const named = { name, description: descriptions.length === 0 ? undefined : descriptions.join('\n\n') };
  if (kind === 'custom') return toFunctionTool(named, objectOf(declaration['format']), unsupported);
  const parameters = declaration['parameters'] ?? undefined;
  return { ...named, parameters, strict: booleanOf(declaration['strict']) ?? (isClosed(parameters) || undefined) };
}

const covered: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict', 'format']);

/** Reports the options that are set; an option that is off has no effect. */
function dropOptions(kind: string, declared: JsonObject, unsupported: string[]): void {
  for (const [option, value] of Object.entries(declared))
    if (!covered.has(option) && value != null && value !== false) unsupported.push(`tools.${kind}.${option}`);
}

/**
 * Returns whether a schema satisfies `strict`, which is the default here for functions; other dialects refuse a
 * strict schema that doesn't.
 */
function isClosed(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const properties = Object.entries(objectOf(schema['properties']));
  const required = new Set(listOf(schema['required']));
  const isObjectSchema = schema['type'] === 'object' && schema['additionalProperties'] === false;
  return isObjectSchema && properties.every(([name, property]) => required.has(name) && isClosedWithin(property));
}

function isClosedWithin(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const isPlain = ['string', 'number', 'integer', 'boolean'].includes(textOf(schema['type']) ?? '');
  if (schema['type'] === 'array') return isClosedWithin(schema['items']);
  return isPlain || isClosed(schema);
}
