/** Classifies failures of the gateway's own calls to a vendor, by the network error or the vendor's response. */
import { unescape } from 'node:querystring';
import type { FailureClass } from '@switchyard/contract/wire-enums';
import { InvalidRequestError, redact, resolveBaseUrl, UpstreamError } from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';
import type { LoadedChannel } from '../registry/loaded-channel.ts';

/** Account, after its sign-in if that succeeded: its access token is a secret as well. */
export type VendorAccount = Pick<LoadedChannel, 'target' | 'proxy'>;

/** Response of a vendor, as far as it was received. */
export interface PartialResponse {
  status: number;
  /** Beginning of the body. */
  beginning: string;
}

/** The message is the vendor's or the network's, without secrets; the cause must never be logged. */
export class VendorCallError extends Error {
  readonly problem: FailureClass;

  constructor(problem: FailureClass, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'VendorCallError';
    this.problem = problem;
  }
}

/** @param answer absent without a response */
export function toVendorCallError(error: unknown, account: VendorAccount, answer?: PartialResponse): VendorCallError {
  if (error instanceof VendorCallError) return error;
  const message = error instanceof Error && error.message !== '' ? error.message : 'The provider did not respond';
  return new VendorCallError(classifyFailure(error, account, answer), redactSecrets(message, account), error);
}

/** Redacts a vendor's text for administrators. */
export function redactSecrets(message: string, { target, proxy }: VendorAccount): string {
  const { username = '', password = '' } = URL.canParse(proxy) ? new URL(proxy) : {};
  const keys = [...Object.values(target.credentials), ...Object.values(target.headers)];
  return redact(message, { keys: [...keys, password, unescape(password)], locations: [username, unescape(username)] });
}

function classifyFailure(error: unknown, account: VendorAccount, answer?: PartialResponse): FailureClass {
  if (answer !== undefined) {
    const byPage = classifyPage(answer);
    if (byPage !== undefined) return byPage;
  }
  if (error instanceof InvalidRequestError) return 'bad-request';
  if (error instanceof UpstreamError && error.kind !== 'unreachable') return classifyRefusal(error, answer);
  return classifyNetworkError(error, account);
}

/** Returns the problem when the response is not from the vendor's API; else undefined. */
function classifyPage({ status, beginning }: PartialResponse): FailureClass | undefined {
  if (status === 407) return 'proxy';
  if (status >= 300 && status < 400) return 'wrong-address';
  if (!/^\s*<(?:!doctype|html|head|body|\?xml)/i.test(beginning)) return undefined;
  if (status === 404 || status === 405) return 'wrong-address';
  return status >= 500 ? 'vendor-error' : 'html-answer';
}

const aboutModel = /model|deployment|engine|模型/i;
const noSuchModel =
  /(?:model|deployment|engine|模型)\b.{0,120}(?:not (?:found|exist|supported|available|a valid)|does not|doesn.t|unknown|不存在|无)|(?:unknown|invalid|no such|unsupported|unavailable) model|no available channel/i;
/** Azure's code. https://learn.microsoft.com/azure/ai-foundry/openai/ */
const otherEndpointCodes = new Set(['OperationNotSupported']);
const noSuchModelCodes = new Set(['model_not_found', 'DeploymentNotFound', 'ModelNotFound', 'invalid_model']);
/**
 * Messages for a wrong endpoint. Vendors send them with any status from 400 to 404, and most of them name the model
 * as well.
 */
const aboutEndpoint =
  /(?:not|isn.t) (?:a|an) (?:chat|completions?|text|language|embeddings?|image|audio)(?:[- ](?:completions?|generation))? model|not supported (?:in|with|by|for|on) (?:the )?(?:task )?(?:\/?v1\/|chat|this (?:endpoint|api|method)|generateContent|(?:the )?\w+ api\b)|operation (?:does not|doesn.t) work with the specified model|(?:model|task) type (?:mismatch|is not supported)|unsupported (?:model|task) type|not allowed to use this endpoint|only (?:supported|available|be used) (?:in|with|by|on|via|through) (?:the )?(?:\/?v1\/|\w+ (?:api|endpoint))|(?:does not|doesn.t|do not|cannot|can.t) (?:support|be used (?:for|with|in)) (?:the )?(?:\/?v1\/|chat|completions?\b|generateContent|this (?:endpoint|api|method)|converse)|(?:use|try) (?:the )?\/?v1\/\w+|不支持(?:chat|对话|聊天|该接口|此接口|当前接口)|非(?:对话|聊天)模型/i;
const aboutRegion = /unsupported_country|country, region|location is not supported|(?:wrong|invalid) region/i;
const aboutKey =
  /(?:api.?key|token|credential|signature|secret)\b.{0,60}(?:invalid|incorrect|expired|not valid|wrong|unknown)|(?:invalid|incorrect|expired|wrong|unknown) (?:api.?key|token|credential|signature|secret)/i;

function classifyRefusal(error: UpstreamError, answer?: PartialResponse): FailureClass {
  const { kind, status, message, code = '' } = error;
  if (otherEndpointCodes.has(code)) return 'other-endpoint';
  if (noSuchModelCodes.has(code)) return aboutEndpoint.test(message) ? 'other-endpoint' : 'model-missing';
  switch (kind) {
    case 'rate-limited':
      return 'rate-limit';
    case 'out-of-credit':
      return 'out-of-credit';
    case 'unauthorised':
      if (aboutRegion.test(`${code} ${message}`)) return 'wrong-region';
      // Nothing was sent, because the credentials are malformed.
      if (status === 0) return 'malformed-key';
      if (status === 403 && aboutEndpoint.test(message)) return 'other-endpoint';
      return status === 403 && !aboutKey.test(message) ? 'no-permission' : 'wrong-key';
    case 'rejected':
      if (aboutEndpoint.test(message)) return 'other-endpoint';
      if (status === 404 || status === 405) return aboutModel.test(message) ? 'model-missing' : 'wrong-address';
      return noSuchModel.test(message) ? 'model-missing' : 'bad-request';
    case 'overloaded':
      if (code === 'empty_answer') return 'empty-answer';
      if (aboutEndpoint.test(message)) return 'other-endpoint';
      return noSuchModel.test(message) ? 'model-missing' : 'vendor-error';
    case 'garbled':
      if (status >= 400) return aboutEndpoint.test(message) ? 'other-endpoint' : 'wrong-address';
      return isEmptyBody(answer?.beginning ?? '') ? 'empty-answer' : 'not-json';
    case 'untranslatable':
      return 'bad-request';
    case 'unreachable':
      return 'unreachable';
  }
}

/** Returns whether a body is JSON without content, or empty. */
function isEmptyBody(text: string): boolean {
  return text.trim() === '' || parseJson(text) !== undefined;
}

const problemByNetworkCode: Readonly<Record<string, FailureClass>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ECONNREFUSED: 'connection-refused',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
  ETIMEDOUT: 'timeout',
  ERR_INVALID_URL: 'wrong-address',
};
const problemByNetworkMessage: readonly (readonly [RegExp, FailureClass])[] = [
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/, 'tls'],
  [/^UND_ERR_\w*TIMEOUT$/, 'timeout'],
];

function classifyNetworkError(error: unknown, { target, proxy }: VendorAccount): FailureClass {
  const causes = listCauses(error);
  if (causes.some((cause) => cause instanceof AddressNotAllowedError)) return 'address-not-allowed';
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'timeout';
  // The server speaks another protocol than HTTP.
  if (causes.some(({ name }) => name === 'HTTPParserError')) return 'wrong-address';
  const found = causes.map((cause) => findProblemByCode(getErrorCode(cause))).find((problem) => problem !== undefined);
  // Behind a proxy, only the proxy itself is resolved and connected to.
  if (proxy !== '' && (found === undefined || found === 'dns' || found === 'connection-refused')) return 'proxy';
  const isOfRegion = target.provider.baseUrl?.includes('{') === true;
  if (found === 'dns' && isOfRegion && resolveBaseUrl(target.provider, '', target) === target.baseUrl)
    return 'wrong-region';
  return found ?? 'unreachable';
}

function findProblemByCode(code: string): FailureClass | undefined {
  return problemByNetworkCode[code] ?? problemByNetworkMessage.find(([words]) => words.test(code))?.[1];
}

function getErrorCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

const CAUSES_MAX = 8;

/** Returns the error with its causes, including those of several connection attempts. */
function listCauses(error: unknown): Error[] {
  const causes: Error[] = [];
  const open: unknown[] = [error];
  while (open.length > 0 && causes.length < CAUSES_MAX) {
    const next = open.shift();
    if (!(next instanceof Error)) continue;
    causes.push(next);
    open.push(next.cause, ...(next instanceof AggregateError ? next.errors : []));
  }
  return causes;
}
