/** A typed client for the contract; the console and tests use it. */
import { z } from 'zod';
import type { Envelope, ErrorCode, FieldError } from './errors.ts';
import type { Route, RouteAnswer, RouteCall, Routes } from './route.ts';

export class ApiError extends Error {
  readonly code: ErrorCode | 'unreachable';
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;

  constructor(
    code: ErrorCode | 'unreachable',
    message: string,
    detail: { status: number; fields?: readonly FieldError[] | undefined; requestId?: string | undefined },
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = detail.status;
    this.fields = detail.fields ?? [];
    this.requestId = detail.requestId;
  }
}

/** Performs one HTTP exchange; `path` begins with `/api`. Rejects only when no answer came. */
export type Send = (request: {
  method: string;
  path: string;
  body: string | undefined;
  signal: AbortSignal | undefined;
}) => Promise<{
  status: number;
  text: string;
}>;

type Call<R extends Route> =
  object extends RouteCall<R>
    ? (call?: RouteCall<R>, signal?: AbortSignal) => Promise<RouteAnswer<R>>
    : (call: RouteCall<R>, signal?: AbortSignal) => Promise<RouteAnswer<R>>;

export type Client<R extends Routes> = { readonly [K in keyof R]: Call<R[K]> };

export function createClient<R extends Routes>(definitions: R, send: Send): Client<R> {
  const client: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(definitions)) {
    client[name] = (call: CallParts = {}, signal?: AbortSignal) => callRoute(route, call, send, signal);
  }
  return client as Client<R>;
}

interface CallParts {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** The address of a call, for links and downloads as well. */
export function routeUrl(route: Route, call: CallParts): string {
  const params = encodeStrings(route.params, call.params);
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params.get(name) ?? ''));
  const query = encodeStrings(route.query, call.query).toString();
  return query === '' ? path : `${path}?${query}`;
}

function encodeStrings(schema: z.ZodObject | undefined, value: unknown): URLSearchParams {
  const encoded = new URLSearchParams();
  if (schema === undefined || value === undefined) return encoded;
  for (const [name, field] of Object.entries(z.encode(schema.partial(), value as z.output<z.ZodObject>))) {
    if (field !== undefined && field !== null && field !== '') encoded.set(name, String(field));
  }
  return encoded;
}

/** What is left out stays out: the server knows the defaults. */
function encodeBody(schema: z.ZodType, value: unknown): unknown {
  return schema instanceof z.ZodObject ? z.encode(schema.partial(), value ?? {}) : z.encode(schema, value);
}

async function callRoute(
  route: Route,
  call: CallParts,
  send: Send,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const body = route.body === undefined ? undefined : JSON.stringify(encodeBody(route.body, call.body));
  const answer = await send({ method: route.method, path: routeUrl(route, call), body, signal });
  if (route.file !== undefined && answer.status === 200) return answer.text;
  const envelope = parseEnvelope(answer);
  if (!envelope.success) {
    throw new ApiError(envelope.code, envelope.message, {
      status: answer.status,
      fields: envelope.fields,
      requestId: envelope.request_id,
    });
  }
  return route.answer.parse(envelope.data ?? null);
}

function parseEnvelope(answer: { status: number; text: string }): Envelope<unknown> {
  try {
    const parsed: unknown = JSON.parse(answer.text);
    if (typeof parsed === 'object' && parsed !== null && 'success' in parsed)
      return parsed as Envelope<unknown>;
  } catch {
    // Not JSON: a proxy in between answered.
  }
  throw new ApiError('unreachable', `HTTP ${answer.status}`, { status: answer.status });
}
