import { checkLength } from '../../../exchange/check-request-fields.ts';
import { cacheByBody, isObject, type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import { type CallKindName, getCallKind } from './client-call-kinds.ts';
import { externalReferenceFields } from './response-object-and-items.ts';

/**
 * Maximum characters of a declared name, and of a namespace, which is part of the function name of each of its tools:
 * a thousand copies of a long one would take seconds. No vendor accepts more than 128.
 */
const NAME_MAX = 256;

/** Name of a tool in this dialect; a tool outside all namespaces has no namespace. */
interface ToolReference {
  kind: CallKindName;
  namespace?: string | undefined;
  name: string;
}

/** Tool that the client runs. */
export interface ClientTool extends ToolReference {
  /** Name of its function, unique within the request. */
  functionName: string;
  declaration: JsonObject;
  /** Description of the whole namespace; sent with its first tool. */
  namespaceDescription?: string | undefined;
}

/**
 * Client tools of a request, and the names of their functions in other dialects. The names are the same in each
 * request of a conversation, whatever is declared after them, which keeps prompt caches valid.
 */
export class ClientTools {
  readonly #tools = new Map<string, ClientTool>();
  readonly #byFunctionName = new Map<string, ClientTool>();
  /** Next number to append to an ambiguous name. */
  readonly #counts = new Map<string, number>();
  readonly #byBareName = new Map<string, ClientTool | 'several'>();
  readonly #byNamespace = new Map<string, ClientTool[]>();

  constructor(body: JsonObject) {
    for (const tool of listDeclaredTools(body)) {
      if (tool['type'] === 'namespace') this.#addNamespace(tool);
      else this.#add(tool);
    }
  }

  get all(): readonly ClientTool[] {
    return [...this.#tools.values()];
  }

  /** Returns the tool of a function name. Models sometimes omit the namespace in it. */
  findByFunctionName(functionName: string): ClientTool | undefined {
    return this.#byFunctionName.get(functionName) ?? this.#onlyOne(functionName);
  }

  /** Returns the function name of a call in the history. */
  getFunctionName(reference: ToolReference): string {
    return this.find(reference)?.functionName ?? qualifiedName(reference);
  }

  find({ kind, namespace, name }: ToolReference): ClientTool | undefined {
    const space = resolveNamespace(namespace);
    const other = kind === 'custom' ? 'function' : 'custom';
    const kinds: CallKindName[] = kind === 'function' || kind === 'custom' ? [kind, other] : [kind];
    // In calls of late-loaded tools without a namespace, the vendor repeats the name as the namespace.
    const spaces = space === name ? [space, ''] : [space];
    const keys = spaces.flatMap((space) => kinds.map((kind) => toolKey(kind, space, name)));
    const found = keys.map((key) => this.#tools.get(key)).find((tool) => tool !== undefined);
    return found ?? (space === '' && isNamed(kind) ? this.#onlyOne(name) : undefined);
  }

  /**
   * Returns the tools that an entry of `allowed_tools`, or a `tool_choice`, names; for all entries of one namespace the
   * same list.
   */
  resolveEntry(entry: JsonObject): readonly ClientTool[] {
    const name = textOf(entry['name']) ?? '';
    if (entry['type'] === 'namespace') return this.#byNamespace.get(resolveNamespace(name)) ?? [];
    const kind = getChoiceKind(entry);
    if (kind === undefined) return [];
    const reference = { kind, namespace: textOf(entry['namespace']), name: isNamed(kind) ? name : kind };
    const tool = this.find(reference);
    return tool === undefined ? [] : [tool];
  }

  #addNamespace(declared: JsonObject): void {
    const namespace = textOf(declared['name']);
    checkLength(namespace, 'tools.name', NAME_MAX);
    let about = textOf(declared['description']);
    for (const tool of objectsIn(declared['tools'])) if (this.#add(tool, namespace, about)) about = undefined;
  }

  /** Adds a tool; a repeated declaration replaces the previous one. @returns whether the tool is new */
  #add(declared: JsonObject, space?: string, aboutNamespace?: string): boolean {
    const kind = getToolKind(declared);
    if (kind === undefined) return false;
    const name = isNamed(kind) ? textOf(declared['name']) : kind;
    if (name === undefined) return false;
    checkLength(name, 'tools.name', NAME_MAX);
    // The vendor sends no namespace in calls of tools in the default one.
    const namespace = resolveNamespace(space) === '' ? undefined : space;
    const key = toolKey(kind, resolveNamespace(namespace), name);
    const known = this.#tools.get(key);
    if (known !== undefined) {
      known.declaration = declared;
      return false;
    }
    const functionName = this.#freeName(qualifiedName({ kind, namespace, name }));
    const tool: ClientTool = {
      kind,
      namespace,
      name,
      functionName,
      declaration: declared,
      namespaceDescription: aboutNamespace,
    };
    this.#tools.set(key, tool);
    const members = this.#byNamespace.get(resolveNamespace(namespace));
    if (members === undefined) this.#byNamespace.set(resolveNamespace(namespace), [tool]);
    else members.push(tool);
    this.#byFunctionName.set(functionName, tool);
    if (isNamed(kind)) this.#byBareName.set(name, this.#byBareName.has(name) ? 'several' : tool);
    return true;
  }

  #onlyOne(bareName: string): ClientTool | undefined {
    const tool = this.#byBareName.get(bareName);
    return tool === 'several' ? undefined : tool;
  }

  #freeName(wanted: string): string {
    if (!this.#byFunctionName.has(wanted)) return wanted;
    let count = this.#counts.get(wanted) ?? 2;
    while (this.#byFunctionName.has(`${wanted}_${count}`)) count++;
    this.#counts.set(wanted, count + 1);
    return `${wanted}_${count}`;
  }
}

/** Returns the tools of a whole request: its response needs them as well. */
export const readClientTools = cacheByBody((body) => new ClientTools(body));

/** Returns the tools declared in `tools`, in items that add tools later, and in search results. */
export function listDeclaredTools(body: JsonObject): JsonObject[] {
  const items = listOf(body['input']).filter(isObject).filter(addsTools);
  return [body, ...items].flatMap(({ tools }) => objectsIn(tools));
}

/**
 * Returns whether a request has other client tools than plain functions, or its history calls them. False for
 * references and compacted items, which only the vendor can read: the request goes to the vendor unchanged.
 */
export const hasClientTools = cacheByBody((body) => {
  const items = listOf(body['input']).filter(isObject);
  if (externalReferenceFields.some((field) => body[field] != null) || items.some(isExternalReference)) return false;
  return listDeclaredTools(body).some(isNotFunction) || items.some((item) => addsTools(item) || isClientToolCall(item));
});

function isNotFunction(tool: JsonObject): boolean {
  const kind = getToolKind(tool);
  return tool['type'] === 'namespace' || (kind !== undefined && kind !== 'function');
}

function isExternalReference({ type }: JsonObject): boolean {
  return type === 'item_reference' || type === 'compaction' || type === 'compaction_trigger';
}

function isClientToolCall(item: JsonObject): boolean {
  const kind = getCallKind(item);
  return kind !== undefined && (kind !== 'function' || item['namespace'] != null);
}

function addsTools({ type }: JsonObject): boolean {
  return type === 'additional_tools' || type === 'tool_search_output';
}

/** Returns the kind of a client tool; undefined for tools that run at the vendor, and for unknown kinds. */
export function getToolKind(tool: JsonObject): CallKindName | undefined {
  switch (tool['type']) {
    case 'shell':
      return isVendorTool(objectOf(tool['environment'])) ? undefined : 'shell';
    case 'tool_search':
      return tool['execution'] === 'client' ? 'tool_search' : undefined;
    default:
      return getChoiceKind(tool);
  }
}

function getChoiceKind({ type }: JsonObject): CallKindName | undefined {
  switch (type) {
    case 'function':
    case 'custom':
    case 'local_shell':
    case 'shell':
    case 'apply_patch':
    case 'tool_search':
      return type;
    case 'computer':
    case 'computer_use':
    case 'computer_use_preview':
      return 'computer';
    default:
      return undefined;
  }
}

function isVendorTool({ type }: JsonObject): boolean {
  return type === 'container_auto' || type === 'container_reference';
}

/** Returns whether tools of this kind have names; others are identified by their type. */
export function isNamed(kind: CallKindName): boolean {
  return kind === 'function' || kind === 'custom';
}

/** Vendor's name of the namespace for tools without one. */
const DEFAULT_NAMESPACE = 'functions';

function resolveNamespace(namespace: string | undefined): string {
  return namespace === DEFAULT_NAMESPACE ? '' : (namespace ?? '');
}

function toolKey(kind: CallKindName, space: string, name: string): string {
  return JSON.stringify([kind, space, name]);
}

const SEPARATOR = '__';

/** Returns a tool's function name, such as `mcp__docs__search`, before numbers are appended to ambiguous ones. */
export function qualifiedName({ namespace, name }: ToolReference): string {
  const space = resolveNamespace(namespace);
  if (space === '' || space === name) return name;
  return space.endsWith(SEPARATOR) ? `${space}${name}` : `${space}${SEPARATOR}${name}`;
}
