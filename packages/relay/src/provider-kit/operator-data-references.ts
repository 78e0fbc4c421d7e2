/** References that a cloud resolves with the identity of the channel: private data of the operator. */

import { toSnakeCase } from '../dialects/chat/gemini/snake-and-camel-case-fields.ts';
import { isObject, type JsonObject, objectOf } from '../json/json.ts';
import type { OperatorData } from '../model/provider.ts';

/**
 * Fields of the clouds' dialects that contain the address of a file. Arguments and schemas of tools are left out,
 * because the vendor opens no address in them.
 */
const addressFields: readonly string[] = [
  'messages.content.image_url',
  'messages.content.image_url.url',
  'messages.content.video_url',
  'messages.content.video_url.url',
  'messages.content.audio_url',
  'messages.content.audio_url.url',
  // Google reads an address in the place of the data: https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview
  'messages.content.input_audio.data',
  'messages.content.file.file_data',
  'messages.content.file.file_id',
  'messages.content.file.file_url',
  'messages.content.source.url',
  'messages.content.source.content.source.url',
  'messages.content.content.source.url',
  'input.content.image_url',
  'input.content.file_url',
  'input.output.image_url',
  'input.output.file_url',
  'contents.parts.fileData.fileUri',
  'contents.parts.functionResponse.parts.fileData.fileUri',
  'systemInstruction.parts.fileData.fileUri',
  'content.parts.fileData.fileUri',
  'requests.content.parts.fileData.fileUri',
];

/** Address with another scheme than those of public and inline files: `gs:`, `s3:`. Base64 contains no colon. */
const privateAddress = /^\s*(?!https?:|data:)[a-z][a-z\d+.-]*:/i;

/**
 * Secrets that a client can send for its own data source; the other types sign in as the Azure resource.
 * https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data
 */
const ownSecrets: ReadonlySet<unknown> = new Set([
  'access_token',
  'api_key',
  'connection_string',
  'encoded_api_key',
  'key_and_key_id',
  'username_and_password',
]);

/**
 * Creates the check of a cloud provider; see `Provider.findOperatorData`.
 * @param resourceFields other fields with names of resources in the cloud account
 */
export function createOperatorDataCheck(...resourceFields: readonly string[]): FindOperatorData {
  return createCheck(createFieldTree(resourceFields));
}

type FindOperatorData = (body: JsonObject) => OperatorData | undefined;

const PROBLEM =
  'refers to data that only the operator’s cloud account can read. Send a public http or https URL, or the data itself.';

function createCheck(tree: FieldTree): FindOperatorData {
  return (body) => {
    const field = findField(body, tree);
    return field === undefined ? undefined : { field, problem: PROBLEM };
  };
}

function createFieldTree(resourceFields: readonly string[]): FieldTree {
  const tree: FieldTree = { children: new Map() };
  for (const path of addressFields) addField(tree, path.split('.'), isPrivateAddress);
  for (const path of resourceFields) addField(tree, path.split('.'), isReference);
  for (const path of ['data_sources', 'dataSources', 'extra_body.data_sources'])
    addField(tree, path.split('.'), (source) => isReference(source) && !hasOwnSecret(objectOf(source)));
  return tree;
}

/**
 * Tools that use no connection of a Foundry project: OpenAI's own, in all their versions. Others search or act with
 * the identity of the project. https://learn.microsoft.com/azure/ai-foundry/agents/how-to/tools/overview
 */
const openaiTool =
  /^(?:function|custom|namespace|tool_search|web_search|file_search|code_interpreter|image_generation|mcp|computer|local_shell|shell|apply_patch)(?![a-z])/;

/** Creates the check of Azure, whose endpoint may be that of a Foundry project with agents and connections. */
export function createAzureDataCheck(): FindOperatorData {
  const tree = createFieldTree(['agent', 'agent_reference']);
  for (const tools of [['tools'], ['input', 'tools']]) {
    addField(tree, [...tools, 'project_connection_id'], isReference);
    addField(tree, [...tools, 'type'], (type) => typeof type === 'string' && !openaiTool.test(type));
  }
  return createCheck(tree);
}

type Check = (value: unknown) => boolean;

/** Fields by name, so that each part of a request is visited once. */
interface FieldTree {
  matches?: Check;
  children: Map<string, FieldTree>;
}

/** Adds a field in each spelling that Google accepts. */
function addField(tree: FieldTree, [name, ...deeper]: readonly string[], matches: Check): void {
  if (name === undefined) {
    tree.matches = matches;
    return;
  }
  for (const spelling of [name, toSnakeCase(name)]) {
    const inner = tree.children.get(spelling) ?? { children: new Map() };
    tree.children.set(spelling, inner);
    addField(inner, deeper, matches);
  }
}

/** Returns the path of the first field that matches. A list stands for each of its items. */
function findField(owner: unknown, tree: FieldTree, path = ''): string | undefined {
  if (Array.isArray(owner)) {
    for (const item of owner) {
      const found = findField(item, tree, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (tree.matches?.(owner) === true) return path;
  if (!isObject(owner)) return undefined;
  for (const [name, inner] of tree.children) {
    const value = owner[name];
    const found = value === undefined ? undefined : findField(value, inner, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPrivateAddress(value: unknown): boolean {
  return typeof value === 'string' && privateAddress.test(value);
}

function isReference(value: unknown): boolean {
  return value !== null && value !== '';
}

function hasOwnSecret({ parameters }: JsonObject): boolean {
  return ownSecrets.has(objectOf(objectOf(parameters)['authentication'])['type']);
}
