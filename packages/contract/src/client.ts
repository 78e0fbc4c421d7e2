/** Typed client of the contract for the console and tests. */
import { z } from 'zod';
import { type Send, unwrapEnvelope } from './http-exchange.ts';
import type { Route, RouteCall, RouteResponse, Routes } from './route.ts';

type Call<R extends Route> =
  object extends RouteCall<R>
    ? (call?: RouteCall<R> & CallOptions, signal?: AbortSignal) => Promise<RouteResponse<R>>
    : (call: RouteCall<R> & CallOptions, signal?: AbortSignal) => Promise<RouteResponse<R>>;

interface CallOptions {
  /** Key of one intended change, the same in its retries, so that the change happens once. */
  idempotencyKey?: string;
}

export type Client<R extends Routes> = { readonly [K in keyof R]: Call<R[K]> };

export function createClient<R extends Routes>(definitions: R, send: Send): Client<R> {
  const client: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(definitions)) {
    client[name] = (call: CallParts = {}, signal?: AbortSignal) => callRoute(route, call, send, signal);
  }
  return client as Client<R>;
}

interface CallParts extends CallOptions {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** Returns the URL of a call, also for links and downloads. */
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

/** Encodes the body. Absent fields stay absent: the server knows the defaults. */
function encodeBody(schema: z.ZodType, value: unknown): unknown {
  return schema instanceof z.ZodObject ? z.encode(schema.partial(), value ?? {}) : z.encode(schema, value);
}

async function callRoute(route: Route, call: CallParts, send: Send, signal: AbortSignal | undefined): Promise<unknown> {
  const body = route.body === undefined ? undefined : JSON.stringify(encodeBody(route.body, call.body));
  const { idempotencyKey } = call;
  const answer = await send({ method: route.method, path: routeUrl(route, call), body, idempotencyKey, signal });
  if (route.file !== undefined && answer.status === 200) return answer.text;
  return route.answer.parse(unwrapEnvelope(answer));
}

/** Yields the items of an event stream as they arrive. @param chunks body text, split anywhere */
export async function* readEvents<R extends Route & { events: true }>(
  route: R,
  chunks: AsyncIterable<string>,
): AsyncGenerator<RouteResponse<R>> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.startsWith('data: ')) yield route.answer.parse(JSON.parse(line.slice(6))) as RouteResponse<R>;
  }
}
