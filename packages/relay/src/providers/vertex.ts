import { googleTokenExchange, parseGoogleAccount } from '../auth/google-account.ts';
import { JoinedEmbeddings, splitBatch } from '../dialects/embeddings/gemini-embeddings.ts';
import { UpstreamError, type UpstreamErrorKind } from '../errors/upstream-error.ts';
import { describeValue } from '../json/describe-value.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Provider, Target } from '../model/provider.ts';
import { addAnthropicVersion, dropAnthropicOnlyFields, moveRootCacheMark } from '../provider-kit/claude-at-clouds.ts';
import { createOperatorDataCheck } from '../provider-kit/operator-data-references.ts';
import { encodeModelInPath } from '../provider-kit/upstream-paths.ts';
import { readTools } from '../tokens/external-content-and-tools.ts';

/** Hosts of locations that are not regions. */
const addresses: ReadonlyMap<string, string> = new Map([
  ['https://global-aiplatform.googleapis.com', 'https://aiplatform.googleapis.com'],
  ['https://us-aiplatform.googleapis.com', 'https://aiplatform.us.rep.googleapis.com'],
  ['https://eu-aiplatform.googleapis.com', 'https://aiplatform.eu.rep.googleapis.com'],
]);
const LOCATION = 'global';

/**
 * Returns whether the channel has a plain API key ("express mode"), which implies a project and only gives access to
 * Google's own models.
 */
const isExpress = (target: Target): boolean => parseGoogleAccount(target) === undefined;
const isClaude = ({ model }: Target): boolean => /^(anthropic\/)?claude-/.test(model);
const isGoogleModel = ({ model }: Target): boolean =>
  /^(google|publishers\/google|endpoints)\//.test(model) || (!model.includes('/') && !model.startsWith('claude-'));

function buildLocationPath(target: Target, version: string, path: string): string {
  return `${addresses.get(target.baseUrl) ?? ''}/${version}${projectPath(target)}${path}`;
}

/** @throws UpstreamError */
function projectPath(target: Target): string {
  const account = parseGoogleAccount(target);
  if (account === undefined) return '';
  const { options } = target;
  const project = options['project'] || textOf(account['project_id']) || textOf(account['quota_project_id']);
  if (project === undefined)
    throw new UpstreamError('unauthorised', 'Neither the channel nor its key specifies a project.', { status: 0 });
  const location = options['location'] || LOCATION;
  return `/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;
}

/**
 * Google's documented names. Any other name would run a model that is not the priced one, because prices match the
 * beginning of a name.
 */
const googleModel = /^(?:google\/|publishers\/google\/models\/|(endpoints\/))?([^/]+)$/;

/**
 * Returns the path of an action in the API version that Google's own clients use, which knows all of their fields.
 * The path function throws an InvalidRequestError for a name that is not Google's.
 */
function googlePath(action: string): (target: Target) => string {
  return (target) => {
    const [, resource = 'publishers/google/models/', name] = googleModel.exec(target.model) ?? [];
    if (name === undefined)
      throw new InvalidRequestError(
        `The model ${describeValue(target.model)} is not one of Google's. Use NAME, google/NAME, ` +
          'publishers/google/models/NAME or endpoints/ID.',
        'model',
      );
    return buildLocationPath(target, 'v1beta1', `/${resource}${encodeModelInPath(name)}:${action}`);
  };
}

function geminiPath(target: Target, { facts }: ClientRequest): string {
  return googlePath(facts.stream ? 'streamGenerateContent?alt=sse' : 'generateContent')(target);
}

/** Returns the path of a Claude model, whose name has its date after an `@`. */
function claudePath(target: Target, action: string, model = target.model): string {
  const name = encodeModelInPath(model.replace(/^anthropic\//, '')).replaceAll('%40', '@');
  return buildLocationPath(target, 'v1', `/publishers/anthropic/models/${name}:${action}`);
}

const CLAUDE_VERSION = 'vertex-2023-10-16';

/** Removes Google's own tools beside the client's functions: only the Gemini API supports both together. */
function dropMixedTools(body: JsonObject, _request: ClientRequest, dropped: string[]): JsonObject {
  const { includeServerSideToolInvocations: isMixed, ...toolConfig } = objectOf(body['toolConfig']);
  if (isMixed === undefined) return body;
  const tools = readTools(body);
  const own = tools.filter((tool) => tool['functionDeclarations'] !== undefined);
  const others = tools.filter((tool) => tool['functionDeclarations'] === undefined);
  for (const [name = 'unknown'] of others.map(Object.keys)) dropped.push(`tools.${name}`);
  const { toolConfig: _config, ...rest } = body;
  return { ...rest, tools: own, ...(Object.keys(toolConfig).length > 0 && { toolConfig }) };
}

/**
 * Returns whether the model only supports `embedContent`. The first Gemini embedding model and older ones only
 * support `predict`.
 */
const embedsContent = ({ model }: Target): boolean => /(?:^|\/)gemini-embedding-(?!001)/.test(model);

/**
 * Classifies errors: a project without billing is refused like one without permissions; another region may have the
 * model.
 */
function readError(status: number, body: unknown): UpstreamErrorKind | undefined {
  const error = objectOf(objectOf(Array.isArray(body) ? body[0] : body)['error']);
  const reasons = listOf(error['details']).map((detail) => objectOf(detail)['reason']);
  if (reasons.includes('BILLING_DISABLED')) return 'out-of-credit';
  return status === 404 && error['status'] === 'NOT_FOUND' ? 'garbled' : undefined;
}

/**
 * Gemini, Claude and open models, each in its own dialect. The key is a plain API key, or the JSON of a service
 * account, of a user, or of a federated identity, which names no project.
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export const vertex: Provider = {
  id: 'vertex',
  label: 'Google Vertex AI',
  channelType: 42,
  website: 'https://console.cloud.google.com/vertex-ai',
  baseUrl: 'https://{location}-aiplatform.googleapis.com',
  endpoints: {
    chat: [
      { format: 'gemini', serves: isGoogleModel, path: geminiPath, body: dropMixedTools },
      {
        format: 'anthropic-messages',
        serves: (target) => isClaude(target) && !isExpress(target),
        path: (target, { facts }) => claudePath(target, facts.stream ? 'streamRawPredict' : 'rawPredict'),
        body: (body) => addAnthropicVersion(body, CLAUDE_VERSION),
      },
      {
        format: 'openai-chat',
        serves: (target) => !isClaude(target) && !isGoogleModel(target) && !isExpress(target),
        path: (target) => buildLocationPath(target, 'v1', '/endpoints/openapi/chat/completions'),
      },
    ],
    embeddings: [
      {
        format: 'gemini-embeddings',
        serves: embedsContent,
        path: googlePath('embedContent'),
        splitBatch: { split: splitBatch, join: () => new JoinedEmbeddings() },
      },
      { format: 'vertex-embeddings', serves: (target) => !embedsContent(target), path: googlePath('predict') },
    ],
  },
  tokenCountEndpoints: {
    gemini: { serves: isGoogleModel, path: googlePath('countTokens'), body: dropMixedTools },
    'anthropic-messages': {
      serves: (target) => isClaude(target) && !isExpress(target),
      path: (target) => claudePath(target, 'rawPredict', 'count-tokens'),
      body: (body) => ({ ...addAnthropicVersion(body, CLAUDE_VERSION), model: body['model'] }),
    },
  },
  credentials: [{ name: 'key', required: true, placeholder: '{"type":"service_account",…}' }],
  options: [
    { name: 'location', required: false, default: LOCATION, placeholder: LOCATION },
    { name: 'project', required: false },
  ],
  testModel: 'gemini-2.5-flash',
  accessToken: googleTokenExchange,
  authorize: ({ credentials: { key = '', accessToken } }) =>
    accessToken === undefined ? { 'x-goog-api-key': key } : { authorization: `Bearer ${accessToken}` },
  quirks: [moveRootCacheMark, dropAnthropicOnlyFields],
  findOperatorData: createOperatorDataCheck('tools.retrieval', 'cachedContent', 'extra_body.google.cachedContent'),
  readError,
  listModels: {
    path: ({ baseUrl }) => `${addresses.get(baseUrl) ?? ''}/v1beta1/publishers/google/models?pageSize=1000`,
    read: (body) =>
      listOf(objectOf(body)['publisherModels'])
        .flatMap((model) => textOf(objectOf(model)['name'])?.replace(/^publishers\/google\/models\//, '') ?? [])
        .filter((name) => /^(gemini|text-(multilingual-)?embedding)-/.test(name)),
  },
};
