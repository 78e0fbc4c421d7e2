import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { type CallKindName, getCallKind } from './call-kinds.ts';
import { externalReferenceFields } from './stored-context.ts';

/** Name of a tool in this dialect; a tool outside all namespaces has none. */
interface ToolReference {
  kind: CallKindName;
  namespace?: string | undefined;
  name: string;
}

/** A tool that the client runs. */
export interface ClientTool extends ToolReference {
  /** Its name as a function, which no other tool of the request has. */
  functionName: string;
  declaration: JsonObject;
  /** Description of the whole namespace; sent with the first of its tools. */
  namespaceDescription?: string | undefined;
}

/**
 * The tools of a request that the client runs, and the names by which they are functions elsewhere. The same tools have
 * the same names in each request of a conversation, whatever is declared behind them, which keeps caches warm.
 */
export class ClientTools {
  readonly #tools = new Map<string, ClientTool>();
  readonly #byFunctionName = new Map<string, ClientTool>();
  /** The next number to append to a name that several tools would have. */
  readonly #counts = new Map<string, number>();
  readonly #byBareName = new Map<string, ClientTool | 'several'>();

  constructor(body: JsonObject) {
    for (const tool of listDeclaredTools(body)) {
      if (tool['type'] === 'namespace') this.#addNamespace(tool);
      else this.#add(tool);
    }
  }

  get all(): readonly ClientTool[] {
    return [...this.#tools.values()];
  }

  /** Returns the tool that a model calls by this name, which models at times shorten to the name without its namespace. */
  findByFunctionName(functionName: string): ClientTool | undefined {
    return this.#byFunctionName.get(functionName) ?? this.#onlyOne(functionName);
  }

  /** Returns the name of the function that a call in the history has called. */
  getFunctionName(reference: ToolReference): string {
    return this.find(reference)?.functionName ?? qualifiedName(reference);
  }

  find({ kind, namespace, name }: ToolReference): ClientTool | undefined {
    const space = resolveNamespace(namespace);
    const other = kind === 'custom' ? 'function' : 'custom';
    const kinds: CallKindName[] = kind === 'function' || kind === 'custom' ? [kind, other] : [kind];
    // The vendor repeats the name as the namespace in calls of tools without one that it has loaded late.
    const spaces = space === name ? [space, ''] : [space];
    const keys = spaces.flatMap((space) => kinds.map((kind) => toolKey(kind, space, name)));
    const found = keys.map((key) => this.#tools.get(key)).find((tool) => tool !== undefined);
    return found ?? (space === '' && isNamed(kind) ? this.#onlyOne(name) : undefined);
  }

  /** Returns the tools that an entry of `allowed_tools`, or a `tool_choice`, means. */
  resolveEntry(entry: JsonObject): readonly ClientTool[] {
    const name = textOf(entry['name']) ?? '';
    if (entry['type'] === 'namespace')
      return this.all.filter((tool) => resolveNamespace(tool.namespace) === resolveNamespace(name));
    const kind = getChoiceKind(entry);
    if (kind === undefined) return [];
    const reference = { kind, namespace: textOf(entry['namespace']), name: isNamed(kind) ? name : kind };
    const tool = this.find(reference);
    return tool === undefined ? [] : [tool];
  }

  #addNamespace(declared: JsonObject): void {
    const namespace = textOf(declared['name']);
    let about = textOf(declared['description']);
    for (const tool of listOf(declared['tools']).map(objectOf))
      if (this.#add(tool, namespace, about)) about = undefined;
  }

  /** Returns whether it is a new one; a tool that is declared again is the one it was, as it is declared last. */
  #add(declared: JsonObject, space?: string, aboutNamespace?: string): boolean {
    const kind = getToolKind(declared);
    if (kind === undefined) return false;
    const name = isNamed(kind) ? textOf(declared['name']) : kind;
    if (name === undefined) return false;
    // Calls of what is in the default namespace come without one, as from the vendor.
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

/** Returns the tools declared in `tools`, in items that add some later, and in results of searches. */
export function listDeclaredTools(body: JsonObject): JsonObject[] {
  const items = listOf(body['input']).filter(isObject).filter(addsTools);
  return [body, ...items].flatMap(({ tools }) => listOf(tools).map(objectOf));
}

/**
 * Returns whether a request has other tools than plain functions, or calls of them in its history. What only its vendor
 * can read goes to the vendor as it is, with these tools.
 */
export function hasClientTools(body: JsonObject): boolean {
  const items = listOf(body['input']).filter(isObject);
  if (externalReferenceFields.some((field) => body[field] != null) || items.some(isExternalReference)) return false;
  return listDeclaredTools(body).some(isNotFunction) || items.some((item) => addsTools(item) || isClientToolCall(item));
}

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

/** Returns undefined for what runs at the vendor, and for kinds that are not known. */
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

/** The others are known by their type. */
export function isNamed(kind: CallKindName): boolean {
  return kind === 'function' || kind === 'custom';
}

/** The vendor's name for the namespace of tools that are in none. */
const DEFAULT_NAMESPACE = 'functions';

function resolveNamespace(namespace: string | undefined): string {
  return namespace === DEFAULT_NAMESPACE ? '' : (namespace ?? '');
}

function toolKey(kind: CallKindName, space: string, name: string): string {
  return JSON.stringify([kind, space, name]);
}

const SEPARATOR = '__';

/** The name of a function for a tool, such as `mcp__docs__search`, unless another tool has it already. */
export function qualifiedName({ namespace, name }: ToolReference): string {
  const space = resolveNamespace(namespace);
  if (space === '' || space === name) return name;
  return space.endsWith(SEPARATOR) ? `${space}${name}` : `${space}${SEPARATOR}${name}`;
}
