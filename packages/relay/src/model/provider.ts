import type { RefusalBilling, UpstreamErrorKind } from '../errors/upstream-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { ScopeUserId } from './conversation.ts';
import type { DialectId, Operation, UpstreamDialectId } from './dialect-id.ts';
import type { RequestChanges } from './operator-body-changes.ts';
import type { JoinedResponses, ResponseHeaders } from './upstream-exchange.ts';

/** Configured account of a channel. */
export interface Target {
  provider: Provider;
  /** Base URL without a trailing slash; the provider's default if the channel sets none. */
  baseUrl: string;
  /** Secret values by the names in the provider's `credentials`. */
  credentials: Readonly<Record<string, string>>;
  /** Non-secret values by the names in the provider's `options`. */
  options: Readonly<Record<string, string>>;
  /** Operator's headers, which take precedence over all but credentials. */
  headers: Readonly<Record<string, string>>;
  /** Operator's changes to the request; none if absent. */
  changes?: RequestChanges;
  /** Name of the model at the vendor, after the channel's mapping. */
  model: string;
  /** Name of the image tool's model at the vendor; absent if the tool names none or the token may not use it. */
  imageToolModel?: string | undefined;
  /** Absent for calls on behalf of no user. */
  scopeUserId?: ScopeUserId | undefined;
}

/** Field of a channel's form. The console translates labels and hints by provider and field name. */
export interface ProviderField {
  name: string;
  required: boolean;
  placeholder?: string;
  default?: string;
  /** Allowed values, of which the first is the default; absent: any value. */
  choices?: readonly string[];
  /** True for a path below the base URL; see `isCustomPath`. */
  isPath?: true;
}

export interface Endpoint {
  format: UpstreamDialectId;
  /** Absent if every channel and model has the endpoint. */
  serves?(target: Target): boolean;
  /** Path and query below the base URL. */
  path: string | ((target: Target, request: ClientRequest) => string);
  /** Adapts the dialect's body to this endpoint. Names of unsupported fields are pushed to `dropped`. */
  body?(body: JsonObject, request: ClientRequest, dropped: string[]): JsonObject;
  /** Splits a request into one call per input, for endpoints that accept a single one. */
  splitBatch?: {
    /** Returns undefined if the body is a single call. @throws InvalidRequestError for too many inputs */
    split(body: JsonObject): JsonObject[] | undefined;
    join(): JoinedResponses;
  };
  /** True if this endpoint ignores client headers, or takes their content in the body. */
  ignoresClientHeaders?: true;
  /**
   * True if the endpoint supports all client-side tools of its dialect; compatible servers of Responses only support
   * functions.
   */
  knowsClientTools?: true;
}

/** Endpoint that counts a request's tokens, in the request's own dialect. */
export interface TokenCountEndpoint extends Omit<Endpoint, 'format'> {
  /** Reads the count, if the response differs from the dialect's. */
  read?(answer: JsonObject): number | undefined;
}

/**
 * Change of an outgoing body for a documented deviation of a vendor. Returns the same object if nothing changes, and
 * pushes the names of fields whose meaning is lost to `dropped`.
 * @throws InvalidRequestError when the remaining request would have another meaning
 */
export type Quirk = (
  body: JsonObject,
  target: Target,
  dropped: string[],
  /** The dialect of the body. */
  format: UpstreamDialectId,
) => JsonObject;

type Account = Pick<Target, 'credentials' | 'options'>;

/** Procedure for getting an access token. */
export interface TokenExchange {
  /**
   * Returns the first call; undefined if the credentials are sent unchanged. @param at UTC ms
   * @throws UpstreamError when the credentials are malformed
   */
  request(account: Account, at: number): TokenRequest | undefined;
  /** Reads the token from the last call's response; undefined if it has none. */
  read(answer: unknown): { token: string; lastsSeconds: number } | undefined;
}

export interface TokenRequest {
  method?: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /**
   * Returns the next call, based on this one's response; undefined if the response lacks the necessary data. Absent
   * for the last call.
   */
  next?(answer: { json: unknown; text: string }): TokenRequest | undefined;
}

export interface UnsignedCall {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  url: string;
  /** Empty without a body. */
  body: Buffer;
}

/** Reference to the operator's own data. */
export interface OperatorData {
  /** Path of the field. */
  field: string;
  /** End of a sentence that begins with the field, and the remedy. */
  problem: string;
}

/** Vendor: an address, credentials, the dialects that it supports, and a list of quirks. */
export interface Provider {
  id: string;
  label: string;
  /** Integer of this provider in the public management API. */
  channelType: number;
  website: string;
  /** Base URL with `{name}` for a credential or an option. Absent if each account has its own. */
  baseUrl?: string;
  /**
   * Endpoints by operation. An operation may have several dialects; the client's own is preferred, else the first.
   */
  endpoints: Partial<Record<Operation, readonly Endpoint[]>>;
  /** Endpoints that count a request's tokens for free, by the request's dialect. */
  tokenCountEndpoints?: Partial<Record<DialectId, Endpoint['path'] | TokenCountEndpoint>>;
  /** Returns the path for polling tasks and fetching artifacts, for paths that an operator may change. */
  taskPath?(target: Target, path: string): string;
  credentials: readonly ProviderField[];
  options: readonly ProviderField[];
  /** Suggested model for the channel test. */
  testModel?: string;
  /** Non-secret headers of every call; the client's and the operator's take precedence. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Procedure for exchanging the credentials for a temporary token, which `authorize` gets as the credential
   * `accessToken`.
   */
  accessToken?: TokenExchange;
  /** Headers with the credentials, which take precedence over all others. Names in lower case. */
  authorize(target: Target): Record<string, string>;
  /** Credentials in the query, for upstreams that accept them nowhere else. */
  query?(target: Target): Record<string, string>;
  /** Headers that sign a call. @param at UTC ms */
  sign?(call: UnsignedCall, target: Target, at: number): Record<string, string>;
  quirks?: readonly Quirk[];
  /**
   * Finds a field by which an outgoing body refers to data of the operator: a private file, which a cloud
   * reads with the identity of the channel, or an address in the network of the operator's own server. Any user can send
   * the name of such data.
   */
  findOperatorData?(body: JsonObject, target: Target): OperatorData | undefined;
  /**
   * Returns the tokens of reasoning that an outgoing body allows in addition to its output cap; 0 if it turns reasoning
   * off. Vendors whose cap includes reasoning don't have it.
   */
  countExtraReasoning?(body: JsonObject, model: string): number;
  /** Returns whether a model only streams; clients still get non-streaming responses on request. */
  isStreamOnly?(target: Target): boolean;
  /**
   * Classifies an error where the vendor deviates from the status; undefined leaves the common reading. Also called
   * for errors inside a response, with status 200.
   */
  readError?(status: number, body: unknown, headers: ResponseHeaders): UpstreamErrorKind | undefined;
  /** Returns what the vendor bills of a request that it rejects; absent: nothing. */
  getRefusalBilling?(status: number, code: string | undefined): RefusalBilling | undefined;
  /** Paths of the model lists; `more` has the paths of further lists in the same format. */
  listModels?: { path(target: Target): string; more?(target: Target): string[]; read(body: unknown): string[] };
  /** Base URL of OpenAI's files and batches; `/files` and `/batches` are appended. */
  batchBaseUrl?: string;
  /** Remaining credit in micro-USD. */
  readBalance?: { path(target: Target): string; read(body: unknown, target: Target): number | undefined };
}
