import { findTargetFeatures } from '../compatibility/find-target-features.ts';
import { removeUnsentVariant } from '../dialects/images/image-variants.ts';
import { readError } from '../errors/read-upstream-error.ts';
import { isObject, type JsonObject, objectOf, parseJson, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialect } from '../model/dialect.ts';
import type { DialectId, UpstreamDialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Endpoint, Target } from '../model/provider.ts';
import type { Exchange } from '../model/upstream-exchange.ts';
import {
  buildUpstreamHeaders,
  buildUpstreamUrl,
  replaceHeaders,
  signHeaders,
} from '../provider-kit/upstream-url-and-headers.ts';
import { readTools } from '../tokens/external-content-and-tools.ts';
import { createCodecPair } from '../translate/codec-pair.ts';
import { formatDroppedFields } from '../translate/dropped-field-names.ts';
import { ToolNames } from '../translate/tool-names.ts';
import { getDialect, getUpstreamDialect } from './dialect-registry.ts';
import { isSameDialect, packUpstreamBody, planUpstreamBody } from './outgoing-body.ts';
import { enablesReasoning } from './required-capabilities.ts';
import { createResponseReader, type ResponseChanges } from './response-reader.ts';

/** Groups of names that mean the same field in different dialects. */
const sameFields: readonly (readonly string[])[] = [
  ['messages', 'input', 'contents'],
  ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'generationConfig.maxOutputTokens'],
  ['stop', 'stop_sequences', 'generationConfig.stopSequences'],
  ['temperature', 'generationConfig.temperature'],
  ['top_p', 'generationConfig.topP'],
  ['top_k', 'generationConfig.topK'],
  ['response_format', 'text.format', 'generationConfig.responseFormat'],
  ['reasoning_effort', 'reasoning.effort', 'output_config.effort'],
  ['tool_choice', 'toolConfig'],
];

/**
 * Returns whether this account can serve requests of this kind at all, translated or not.
 * @param model name of the model at the vendor
 */
export function canServe(
  anyModel: Omit<Target, 'model'>,
  model: string,
  { operation, format }: Pick<ClientRequest, 'operation' | 'format'>,
): boolean {
  const endpoints = anyModel.provider.endpoints[operation] ?? [];
  return endpoints.some(
    (endpoint) =>
      (endpoint.format === format || canTranslate(format, endpoint.format)) &&
      // Called for each channel and request; few endpoints have a condition.
      (endpoint.serves === undefined || isServed(endpoint, { ...anyModel, model })),
  );
}

function isServed(endpoint: Endpoint, target: Target): boolean {
  return endpoint.serves?.(target) !== false;
}

function canTranslate(from: DialectId, to: UpstreamDialectId): boolean {
  const [client, upstream] = [getDialect(from), getUpstreamDialect(to)];
  if (client.chat !== undefined) return upstream.chat !== undefined;
  if (client.decodeVideoRequest !== undefined) return upstream.encodeVideoSubmission !== undefined;
  return createCodecPair(client, upstream) !== undefined;
}

/**
 * Plans one upstream call for a client's request: unchanged if the upstream supports the client's dialect, otherwise
 * translated.
 * @throws InvalidRequestError when the request cannot be translated, or the provider doesn't serve the operation (check
 * `canServe` first)
 */
export function planExchange(request: ClientRequest, target: Target, changes: ResponseChanges = {}): Exchange {
  const endpoint = chooseEndpoint(request, target);
  const { format, path, ignoresClientHeaders } = endpoint;
  const upstream = getUpstreamDialect(format);
  const streams = shouldStreamUpstream(request, target, upstream);
  const passes = isSameDialect(request, endpoint) && streams === request.facts.stream;
  const asked =
    streams === request.facts.stream ? request : { ...request, facts: { ...request.facts, stream: streams } };
  const dropped: string[] = [];
  const names = new ToolNames(format);
  const outgoing = planUpstreamBody(asked, target, endpoint, { dropped, names });
  const { bytes, headers: own } = packUpstreamBody(asked, endpoint, outgoing);
  const isImage = request.operation === 'images';
  const billed = isImage ? { ...request, json: removeUnsentVariant(request.json, dropped) } : request;
  if (!passes) getDialect(request.format).chat?.prepareResponses?.(request);
  const { body, calls } = splitCalls(bytes, endpoint);
  const saying = ignoresClientHeaders === true ? { ...asked, headers: {} } : asked;
  const asking = typeof path === 'string' ? path : path(target, asked);
  const url = buildUpstreamUrl(target, asking);
  return {
    url,
    headers: signHeaders(target, replaceHeaders(buildUpstreamHeaders(target, format, saying), own), url, body),
    body,
    calls,
    isStreaming: streams,
    isTaskSubmission: upstream.upstreamTasks !== undefined,
    enablesReasoning: enablesReasoning(outgoing, target.model, format),
    dropped: formatDroppedFields(dropped),
    readResponse: (headers = {}) =>
      createResponseReader(billed, target, {
        upstream,
        names,
        isPassedThrough: passes,
        isStreaming: streams,
        headers,
        path: asking,
        changes,
      }),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** Returns the bodies of the calls for an endpoint that takes a single input. */
function splitCalls(bytes: Buffer, { splitBatch }: Endpoint): Pick<Exchange, 'body' | 'calls'> {
  const split = splitBatch?.split(objectOf(parseJson(bytes.toString('utf8'))));
  const [body = bytes, ...others] = split?.map((one) => Buffer.from(JSON.stringify(one))) ?? [];
  if (splitBatch === undefined || others.length === 0) return { body };
  return { body, calls: { bodies: [body, ...others], join: () => splitBatch.join() } };
}

/** Returns whether the upstream's response reaches the client unchanged, neither translated nor rewritten. */
export function isPassedThrough(request: ClientRequest, anyModel: Omit<Target, 'model'>): boolean {
  const target = { ...anyModel, model: request.facts.model };
  const endpoint = chooseEndpoint(request, target);
  const streams = shouldStreamUpstream(request, target, getUpstreamDialect(endpoint.format));
  return isSameDialect(request, endpoint) && streams === request.facts.stream;
}

/**
 * Returns the endpoint in the client's dialect if the provider offers it for this model, unless only another one
 * searches the web.
 * @throws InvalidRequestError
 */
export function chooseEndpoint(request: ClientRequest, target: Target): Endpoint {
  const { provider } = target;
  const endpoints = (provider.endpoints[request.operation] ?? []).filter((one) => isServed(one, target));
  const usual = endpoints.find((endpoint) => endpoint.format === request.format) ?? endpoints[0];
  if (usual === undefined)
    throw new InvalidRequestError(
      `The provider of this model (${provider.label}) does not support ${request.operation}. Choose another model.`,
    );
  const canSearch = ({ format }: Endpoint): boolean => findTargetFeatures(target, format).webSearch === 'taken';
  if (request.operation !== 'chat' || !usesWebSearch(request) || canSearch(usual)) return usual;
  return endpoints.find(canSearch) ?? usual;
}

/**
 * Returns whether the upstream is asked to stream. This follows the client's request unless the upstream cannot
 * stream, or can only stream, according to the vendor or the operator.
 */
function shouldStreamUpstream({ facts }: ClientRequest, target: Target, upstream: UpstreamDialect): boolean {
  const { changes, provider } = target;
  if (upstream.upstreamCodecs !== undefined) return false;
  if (upstream.chat === undefined) return facts.stream;
  if (upstream.chat.onlyStreams === true || provider.isStreamOnly?.(target) === true) return true;
  if (changes === undefined) return facts.stream;
  return changes.streaming === 'as-asked' ? facts.stream : changes.streaming === 'always';
}

/** Returns whether a chat request of any dialect lets the model search the web. */
function usesWebSearch({ json }: Pick<ClientRequest, 'json'>): boolean {
  if (isObject(json['web_search_options'])) return true;
  return readTools(json).some((tool) => {
    const type = textOf(tool['type']) ?? '';
    return type.startsWith('web_search') || isObject(tool['googleSearch']) || isObject(tool['google_search']);
  });
}

/** Returns the field of the client's request that a vendor's `param` means; undefined if the client sent none. */
export function toClientParam(
  param: string | undefined,
  request: ClientRequest,
  anyModel: Omit<Target, 'model'>,
): string | undefined {
  if (param === undefined || isPassedThrough(request, anyModel)) return param;
  const [root = ''] = param.split(/[.[]/);
  if (Object.hasOwn(request.json, root)) return param;
  const names = sameFields.find((fields) => fields.includes(param) || fields.includes(root));
  return names?.find((name) => hasField(request.json, name.split('.')));
}

function hasField(value: JsonObject, [name = '', ...rest]: readonly string[]): boolean {
  if (!Object.hasOwn(value, name)) return false;
  const inner = value[name];
  return rest.length === 0 || (isObject(inner) && hasField(inner, rest));
}
