import { signAwsRequest } from '../auth/aws-signature.ts';
import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import { type JsonObject, numberOf, objectOf, objectsIn, textOf, textsIn } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Provider, Target } from '../model/provider.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import {
  addAmazonBetas,
  addAnthropicVersion,
  dropAnthropicOnlyFields,
  moveRootCacheMark,
} from '../provider-kit/claude-at-clouds.ts';
import { createOperatorDataCheck } from '../provider-kit/operator-data-references.ts';
import { encodeModelInPath } from '../provider-kit/upstream-paths.ts';

/** Failure classes by exception name, where the status alone would suggest another one. */
const kinds: ReadonlyMap<string, UpstreamErrorKind> = new Map([
  ['ServiceQuotaExceededException', 'rate-limited'],
  ['ThrottlingException', 'rate-limited'],
  ['ModelNotReadyException', 'overloaded'],
  ['ModelTimeoutException', 'overloaded'],
  ['ModelErrorException', 'overloaded'],
  ['ExpiredTokenException', 'unauthorised'],
  ['UnrecognizedClientException', 'unauthorised'],
  // Another channel, in another region, may have the model.
  ['ResourceNotFoundException', 'garbled'],
]);
const unknownModel = /^(The provided model identifier is invalid|Invocation of model ID)/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, "Errors" */
function readBedrockError(_status: number, body: unknown, headers: ResponseHeaders): UpstreamErrorKind | undefined {
  if (unknownModel.test(textOf(objectOf(body)['message']) ?? '')) return 'garbled';
  const [type = ''] = String(headers['x-amzn-errortype'] ?? '').split(':');
  return kinds.get(type);
}

const VERSION = 'bedrock-2023-05-31';

/** Types of tools that run at Anthropic. */
const anthropicTool = /^(web_search|web_fetch|code_execution)_\d/;

/**
 * Returns whether the model is a Claude model. An inference profile's ARN doesn't reveal its model; Converse doesn't
 * need to know it.
 */
const isClaude = ({ model }: Target): boolean => /claude/i.test(model);

function claudePath({ model }: Target, { facts }: ClientRequest): string {
  return `/model/${encodeModelInPath(model)}/${facts.stream ? 'invoke-with-response-stream' : 'invoke'}`;
}

function conversePath({ model }: Target, { facts }: ClientRequest): string {
  return `/model/${encodeModelInPath(model)}/${facts.stream ? 'converse-stream' : 'converse'}`;
}

function claudeBody(body: JsonObject, { headers }: ClientRequest, dropped: string[]): JsonObject {
  const {
    stream: _stream,
    anthropic_beta: own,
    ...rest
  } = addAnthropicVersion(renameAnthropicTools(body, dropped), VERSION);
  const asked = [...textsIn(own), ...(headers['anthropic-beta'] ?? '').split(',').map((flag) => flag.trim())];
  return addAmazonBetas(
    rest,
    asked.filter((flag) => flag !== ''),
    dropped,
  );
}

function renameAnthropicTools(body: JsonObject, dropped: string[]): JsonObject {
  const { tools, tool_choice: choice, ...rest } = body;
  const all = objectsIn(tools);
  const lost = all.filter(isAnthropicTool);
  if (lost.length === 0) return body;
  const kept = all.filter((tool) => !isAnthropicTool(tool));
  for (const { type } of lost) dropped.push(`tools.${textOf(type)}`);
  const { name } = objectOf(choice);
  const isLost = name !== undefined && lost.some((tool) => tool['name'] === name);
  if (isLost) dropped.push('tool_choice');
  if (kept.length === 0) return rest;
  return { ...rest, tools: kept, ...(choice !== undefined && !isLost && { tool_choice: choice }) };
}

function isAnthropicTool({ type }: JsonObject): boolean {
  return anthropicTool.test(textOf(type) ?? '');
}

const isServed = (kind: string): boolean => kind === 'TEXT' || kind === 'EMBEDDING';

/** Returns the URL of the control plane for the same account, which lists the models. */
function controlPath({ baseUrl }: Target, path: string): string {
  const control = baseUrl.replace('//bedrock-runtime', '//bedrock');
  return control === baseUrl ? path : `${control}${path}`;
}

/**
 * Claude in Anthropic's own dialect, other models by Converse. The key is `Region|Access key|Secret key`, optionally
 * with a session token at the end, or `Region|API key`.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html
 */
export const bedrock: Provider = {
  id: 'bedrock',
  label: 'Amazon Bedrock',
  channelType: 32,
  website: 'https://console.aws.amazon.com/bedrock',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  endpoints: {
    chat: [
      {
        format: 'anthropic-messages',
        serves: isClaude,
        path: claudePath,
        body: claudeBody,
        ignoresClientHeaders: true,
      },
      { format: 'bedrock-converse', serves: (target) => !isClaude(target), path: conversePath },
    ],
    embeddings: [{ format: 'bedrock-embeddings', path: ({ model }) => `/model/${encodeModelInPath(model)}/invoke` }],
  },
  tokenCountEndpoints: {
    'anthropic-messages': {
      serves: isClaude,
      // Token counts require the model's name without a region prefix.
      path: ({ model }) => `/model/${encodeModelInPath(model.replace(/^[a-z-]+\.(?=anthropic\.)/, ''))}/count-tokens`,
      body(body, request, dropped) {
        const asked = claudeBody({ max_tokens: 1, ...body }, request, dropped);
        return { input: { invokeModel: { body: Buffer.from(JSON.stringify(asked)).toString('base64') } } };
      },
      ignoresClientHeaders: true,
      read: ({ inputTokens }) => numberOf(inputTokens),
    },
  },
  credentials: [
    { name: 'region', required: true },
    { name: 'accessKey', required: true },
    { name: 'secretKey', required: false },
    { name: 'sessionToken', required: false },
  ],
  options: [],
  testModel: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
  headers: { accept: 'application/json' },
  authorize: ({ credentials }) =>
    credentials['secretKey'] ? {} : { authorization: `Bearer ${credentials['accessKey'] ?? ''}` },
  sign(call, { credentials }, at) {
    const { region = '', accessKey = '', secretKey = '', sessionToken = '' } = credentials;
    if (secretKey === '') return {};
    const account = { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken, region };
    return signAwsRequest(call, { ...account, service: 'bedrock' }, at);
  },
  quirks: [moveRootCacheMark, dropAnthropicOnlyFields],
  findOperatorData: createOperatorDataCheck(),
  readError: readBedrockError,
  listModels: {
    path: (target) => controlPath(target, '/foundation-models?byInferenceType=ON_DEMAND'),
    // Newer models require a name with a region prefix.
    more: (target) => [controlPath(target, '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED')],
    read: (body) =>
      ['modelSummaries', 'inferenceProfileSummaries']
        .flatMap((name) => objectsIn(objectOf(body)[name]))
        .filter((model) => objectOf(model['modelLifecycle'])['status'] !== 'LEGACY')
        .filter(({ outputModalities: kinds }) => kinds === undefined || textsIn(kinds).some(isServed))
        .flatMap((model) => textOf(model['modelId']) ?? textOf(model['inferenceProfileId']) ?? []),
  },
};
