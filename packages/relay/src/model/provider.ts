import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { DialectId, Operation, UpstreamDialectId } from './dialect-id.ts';
import type { JoinedResponses, ResponseHeaders } from './exchange.ts';
import type { RequestChanges } from './request-changes.ts';

/** One configured account, as the server hands it over. */
export interface Target {
  provider: Provider;
  /** Without trailing slash; the provider's default when the channel sets none. */
  baseUrl: string;
  /** Named by the provider's `credentials`; secret. */
  credentials: Readonly<Record<string, string>>;
  /** Named by the provider's `options`; not secret. */
  options: Readonly<Record<string, string>>;
  /** The operator's own headers; they win over ours except for credentials. */
  headers: Readonly<Record<string, string>>;
  /** Operator's changes to the request; none if absent. */
  changes?: RequestChanges;
  /** The model's name at the vendor, after the channel's mapping. */
  model: string;
  /** The same of the request's image tool; absent where the tool names none or the token may not use it. */
  imageToolModel?: string | undefined;
}

/** One field of a channel's form. Labels and hints are translated in the console by provider and field name. */
export interface ProviderField {
  name: string;
  required: boolean;
  placeholder?: string;
  default?: string;
  /** Its values, the first of which counts when none is chosen; absent where anything may be written. */
  choices?: readonly string[];
  /** A path below the base URL, in a form's small print; see `isOwnPath`. */
  isPath?: true;
}

export interface Endpoint {
  format: UpstreamDialectId;
  /** Absent where it is there for every channel and model. */
  serves?(target: Target): boolean;
  /** Path and query below the base URL. */
  path: string | ((target: Target, request: ClientRequest) => string);
  /** Adapts the dialect's body to this endpoint. Names of unsupported fields are pushed to `dropped`. */
  body?(body: JsonObject, request: ClientRequest, dropped: string[]): JsonObject;
  /** Splitting of a request into one call for each input, for endpoints that take a single one. */
  splitBatch?: {
    /** Undefined where the body is one call as it is. @throws InvalidRequest for too many */
    split(body: JsonObject): JsonObject[] | undefined;
    join(): JoinedResponses;
  };
  /** Set if this endpoint takes the content of the client's headers in the body, if at all. */
  ignoresClientHeaders?: true;
  /** Knows all tools of its dialect that clients run themselves; imitators of Responses know functions alone. */
  knowsClientTools?: true;
}

/** Endpoint that counts a request's tokens, in the request's own dialect. */
export interface TokenCountEndpoint extends Omit<Endpoint, 'format'> {
  /** Reads the count, if the response differs from the dialect's. */
  read?(answer: JsonObject): number | undefined;
}

/**
 * Changes an outgoing body for one documented habit of a vendor; returns what to send, or the same object when
 * nothing is to change. Names of fields whose meaning is lost are pushed to `dropped`.
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
   * The first call on the way to it; undefined where the credentials are sent as they are. @param at UTC ms
   * @throws UpstreamError when they cannot be such credentials
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
   * The call that comes after this one and is made of its answer; undefined when the answer does not hold what it takes.
   * Absent where the answer is the last.
   */
  next?(answer: { json: unknown; text: string }): TokenRequest | undefined;
}

export interface UnsignedCall {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  url: string;
  /** Empty without a body. */
  body: Buffer;
}

/** A vendor: an address, credentials, the dialects it speaks and a short list of named habits. */
export interface Provider {
  id: string;
  label: string;
  /** The integer by which the public management API names this provider. */
  channelType: number;
  website: string;
  /** Base URL with `{name}` in place of a credential or an option. Absent if each account has its own address. */
  baseUrl?: string;
  /** An operation may be offered in several dialects; the client's own is preferred, else the first. */
  endpoints: Partial<Record<Operation, readonly Endpoint[]>>;
  /** Endpoints that count a request's tokens for free, by the request's dialect. */
  tokenCountEndpoints?: Partial<Record<DialectId, Endpoint['path'] | TokenCountEndpoint>>;
  /** Returns the path for polling tasks and fetching artifacts, for paths that an operator may change. */
  taskPath?(target: Target, path: string): string;
  credentials: readonly ProviderField[];
  options: readonly ProviderField[];
  /** Suggested for the channel test. */
  testModel?: string;
  /** Headers of every call that are no secret; the client's and the operator's win over them. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Procedure for exchanging the credentials for a temporary token; `authorize` finds it among them as `accessToken`.
   */
  accessToken?: TokenExchange;
  /** Headers that carry the credentials; nothing wins over them. Names in lower case. */
  authorize(target: Target): Record<string, string>;
  /** Credentials that stand in the address, for upstreams that read them nowhere else. */
  query?(target: Target): Record<string, string>;
  /** Headers that depend on what is sent, where calls are signed. @param at UTC ms */
  sign?(call: UnsignedCall, target: Target, at: number): Record<string, string>;
  quirks?: readonly Quirk[];
  /** Models that answer with a stream alone; a client that wants a whole answer gets one all the same. */
  isStreamOnly?(target: Target): boolean;
  /**
   * Only where the vendor deviates from what the status says; undefined leaves the common reading. Errors inside an
   * answer are asked about as well, with status 200.
   */
  readError?(status: number, body: unknown, headers: ResponseHeaders): UpstreamErrorKind | undefined;
  /** `more` are the paths of other lists, which are read like the first. */
  listModels?: {
    path(target: Target): string;
    more?(target: Target): string[];
    read(body: unknown): string[];
  };
  /** Base URL of OpenAI's files and batches; `/files` and `/batches` are appended. */
  batchBaseUrl?: string;
  /** Remaining credit in micro-USD. */
  readBalance?: { path(target: Target): string; read(body: unknown, target: Target): number | undefined };
}
