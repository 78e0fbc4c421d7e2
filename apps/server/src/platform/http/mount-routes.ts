/**
 * Mounts a feature's contract: authorizes callers, parses the input, and wraps responses and errors in the envelope.
 * No other file connects a management route to HTTP.
 */
import { finished, Readable } from 'node:stream';
import type { Envelope } from '@switchyard/contract/errors';
import {
  type Access,
  type AuditedAction,
  getBodyMaxBytes,
  getBodyMaxValues,
  type HandlerResponse,
  type Route,
  type RouteInput,
  type Routes,
} from '@switchyard/contract/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AcquireSlot } from '../limits/keyed-semaphore.ts';
import { AppError } from './app-error.ts';
import { type AuthorizationOptions, admitCaller, authorizeRequest, watchRights } from './authorize-request.ts';
import { type CachedBytes, cacheBytes, sendCachedBytes } from './cached-public-responses.ts';
import { buildLimitKey, type Caller, runAsReader } from './caller.ts';
import { readOrCreateDevice } from './cookies.ts';
import { firstIssueContext, invalidInput, issueContext } from './field-errors.ts';
import { LongBody, mayBeLonger } from './json-body-limits.ts';
import { describeUnknownField, findUnknownField, omitReadOnlyFields, type UnknownField } from './unknown-fields.ts';

/** Properties of a call besides its input that a handler may use. */
export interface Call<A extends Access = Access> {
  caller: A extends 'anyone' ? Caller | undefined : Caller;
  requestId: string;
  address: string;
  userAgent: string;
  /** Header `Idempotency-Key`: a repeated call with the same key changes nothing more. */
  idempotencyKey: string | undefined;
  /** True if the connection is known to be encrypted. */
  secure: boolean;
  setCookie(value: string): void;
  /** Sets the message in the envelope, for clients of the public API. */
  setMessage(message: string): void;
  /** Sets the name of the file in the response. Letters, digits, dots, hyphens and underscores. */
  setFileName(name: string): void;
  /** Returns the keyed hash of the browser's device cookie; a browser without one gets it with the response. */
  deviceHash(): string;
  /** Origin by which the browser reached this server, if known. */
  origin: string;
  /** Returns a signal that aborts when the caller disconnects. */
  getAbortSignal(): AbortSignal;
}

export type Handlers<R extends Routes> = {
  readonly [K in keyof R]: (input: RouteInput<R[K]>, call: Call<R[K]['access']>) => HandlerResponse<R[K]>;
};

/**
 * Reads of one user at a time: half of a node's PostgreSQL connections for reads. A handler that waits keeps its slot.
 */
export const CONCURRENT_READS_MAX = 3;

export interface MountOptions extends AuthorizationOptions {
  fingerprint(secret: string): string;
  /** Semaphore per user for reads, so that one user's slow lists don't block all others. */
  acquireReadSlot: AcquireSlot;
  /** Semaphore per user, or per address, for long bodies, which are in memory from their first byte. */
  acquireBodySlot: AcquireSlot;
  /**
   * Runs the parse and validation of a long body in turns with other work.
   * @param userId 0 for callers without a session
   * @param length bytes of the body
   */
  runPaced<T>(userId: number, length: number, work: () => T): T | Promise<T>;
  /** Reports an error after a part of the file was sent. */
  reportStreamError(error: unknown, request: FastifyRequest): void;
  /** Writes the audit entry of a route with `auditAs`. */
  audit(call: Call, entry: AuditedAction & { detail: Record<string, unknown> }): Promise<void>;
}

/** Without it spreadsheets read UTF-8 as the computer's legacy encoding. */
const BYTE_ORDER_MARK = '\ufeff';

type AnyHandler = (input: unknown, call: Call<'anyone'>) => unknown;

export function mountRoutes<R extends Routes>(
  app: FastifyInstance,
  definitions: R,
  handlers: Handlers<R>,
  options: MountOptions,
): void {
  for (const [name, route] of Object.entries(definitions)) {
    checkIsAudited(route);
    const handler = handlers[name] as unknown as AnyHandler;
    const bytesOf = cacheBytes((data: unknown) => JSON.stringify(wrapInEnvelope(route, data, '')));
    const mounted: MountedRoute = { ...route, bytesOf };
    const paths = route.path.endsWith('/') ? [route.path, route.path.slice(0, -1)] : [route.path, `${route.path}/`];
    for (const url of paths) {
      app.route({
        method: route.method,
        url,
        // A HEAD would trigger the side effects of such a GET, or read a whole file for its head.
        exposeHeadRoute: route.sameOrigin !== true && route.file === undefined,
        bodyLimit: getBodyMaxBytes(route),
        config: { entrance: { access: route.access }, bodyMaxValues: getBodyMaxValues(route) },
        // Before the body is read, so that the server parses nothing of an unauthorized or rate-limited caller.
        onRequest: async (request, reply) => {
          const caller = await admitCaller(route, options, request);
          callers.set(request, caller);
          if (route.method !== 'GET' && mayBeLonger(request, LONG_BODY_BYTES))
            await acquireBodySlot(options, caller, request, reply);
        },
        handler: (request, reply) => handleRequest(mounted, handler, options, request, reply),
      });
    }
  }
}

/**
 * A file of staff that is sent to a GET must name its audit entry. Handlers of other methods write their own, like
 * those of every change.
 * @throws RangeError
 */
function checkIsAudited({ method, path, access, file, auditAs }: Route): void {
  const isOfStaff = access !== 'anyone' && access !== 'user';
  if (method === 'GET' && file !== undefined && isOfStaff && auditAs === undefined)
    throw new RangeError(`${method} ${path} does not declare the audit entry of its file`);
}

/** Bytes above which a body counts as long. */
const LONG_BODY_BYTES = 32_768;
/** Long bodies of one user, or one address, at a time. */
export const CONCURRENT_BODIES_MAX = 3;

/** Resolves when the body may be received. The slot is released with the end of the response, or of the connection. */
async function acquireBodySlot(
  options: MountOptions,
  caller: Caller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const leave = await options.acquireBodySlot(caller === undefined ? options.address(request) : buildLimitKey(caller));
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
}

/** Callers that were authorized before the body of their request was read. */
const callers = new WeakMap<FastifyRequest, Caller | undefined>();

async function handleRequest(
  route: MountedRoute,
  handler: AnyHandler,
  options: MountOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  // Authorized again after the body, which may take a minute to arrive, during which the rights may have ended.
  const caller = route.method === 'GET' ? callers.get(request) : await authorizeRequest(route, options, request);
  let message = '';
  let fileName = '';
  const call: Call<'anyone'> = {
    caller,
    requestId: request.id,
    address: options.address(request),
    userAgent: request.headers['user-agent'] ?? '',
    idempotencyKey: readIdempotencyKey(request),
    secure: options.secure(request),
    setCookie: (value) => void reply.header('set-cookie', value),
    setMessage: (text) => {
      message = text;
    },
    setFileName: (name) => {
      fileName = name.replace(/[^\w.-]/g, '_');
    },
    origin: `${options.secure(request) ? 'https' : 'http'}://${request.host}`,
    deviceHash: once(() => ensureDevice(options, request, reply)),
    getAbortSignal: once(() => {
      const controller = new AbortController();
      if (reply.raw.closed) controller.abort();
      reply.raw.once('close', () => controller.abort());
      return controller.signal;
    }),
  };
  const input = await readInput(route, options, caller, request);
  const isLong = route.file !== undefined || route.events === true;
  const leave = await acquireReadSlot(route, options, caller, reply);
  let data: unknown;
  try {
    // Checked after the wait for a slot, so that waiting costs nothing.
    if (isLong) call.caller = await authorizeRequest(route, options, request);
    const checkRights = isLong ? watchRights(route, options, request, reply) : undefined;
    // Before the file is read, so that no file leaves without an entry.
    if (route.auditAs !== undefined && route.auditAs !== 'never')
      await options.audit(call, { ...route.auditAs, detail: { filters: input['query'] } });
    const read: RunAsReader = caller === undefined ? (work) => work() : (work) => runAsReader(caller.userId, work);
    data = await read(async () => handler(input, call));
    checkRights?.();
    if (route.file !== undefined)
      data = await createFileStream(route, data, read, (error) => options.reportStreamError(error, request));
  } finally {
    leave();
  }
  if (route.events === true)
    return (
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // Prevents buffering by proxies.
        .header('x-accel-buffering', 'no')
        .send(Readable.from(formatEventStream(route, data as AsyncIterable<unknown>)))
    );
  if (route.file !== undefined) {
    const named = fileName === '' ? '' : `; filename="${fileName}"`;
    return reply
      .header('content-type', isText(route.file) ? `${route.file}; charset=utf-8` : route.file)
      .header('content-disposition', route.file.startsWith('image/') ? 'inline' : `attachment${named}`)
      .send(data);
  }
  if (route.written === true)
    return reply.type('application/json; charset=utf-8').send(`{"success":true,"message":"","data":${String(data)}}`);
  if (route.method === 'GET' && route.access === 'anyone' && route.sameOrigin !== true && message === '')
    return sendCachedBytes(request, reply, route.bytesOf(data));
  return wrapInEnvelope(route, data, message);
}

/**
 * Resolves when the caller may read.
 * @returns a function to call when the handler has ended, also after a disconnect. The slot is released once the
 * response has been written: until then its rest is held in memory
 */
async function acquireReadSlot(
  route: Route,
  options: MountOptions,
  caller: Caller | undefined,
  reply: FastifyReply,
): Promise<() => void> {
  if (caller === undefined || route.method !== 'GET') return () => {};
  const leave = await options.acquireReadSlot(buildLimitKey(caller));
  return () => {
    if (route.events === true) leave();
    else finished(reply.raw, leave);
  };
}

interface MountedRoute extends Route {
  /** Cached bytes of a public response, encoded once per value. */
  bytesOf: (data: unknown) => CachedBytes;
}

function wrapInEnvelope({ answer: schema }: Route, data: unknown, message: string): Envelope<unknown> {
  return { success: true, message, data: z.encode(schema, data ?? null) };
}

/** Yields events, after an empty comment that sends the head: the first event of a quiet log may be a minute away. */
async function* formatEventStream(route: Route, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield ':\n\n';
  for await (const item of items) yield `data: ${JSON.stringify(z.encode(route.answer, item))}\n\n`;
}

/** Runs work as the caller's reads, so that each page of a file alternates with other users' reads. */
type RunAsReader = <T>(work: () => Promise<T>) => Promise<T>;

/** @throws the error of the first piece, while an error response is still possible */
async function createFileStream(
  route: Route,
  data: unknown,
  read: RunAsReader,
  report: (error: unknown) => void,
): Promise<unknown> {
  const mark = route.file === 'text/csv' ? BYTE_ORDER_MARK : '';
  if (typeof data === 'string') return mark + data;
  if (!isChunkStream(data)) return data;
  const unowned = data[Symbol.asyncIterator]();
  const pieces: AsyncIterator<string> = {
    next: () => read(() => unowned.next()),
    return: async () => (await unowned.return?.()) ?? { done: true, value: undefined },
  };
  const first = await pieces.next();
  return Readable.from(streamFile(mark, first, pieces, report));
}

/** Yields a piece when the client has consumed the previous one. */
async function* streamFile(
  mark: string,
  first: IteratorResult<string>,
  rest: AsyncIterator<string>,
  report: (error: unknown) => void,
): AsyncGenerator<string> {
  if (first.done === true) return;
  yield mark + first.value;
  try {
    yield* { [Symbol.asyncIterator]: () => rest };
  } catch (error) {
    report(error);
    throw error;
  }
}

function isChunkStream(data: unknown): data is AsyncIterable<string> {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
}

function isText(type: NonNullable<Route['file']>): boolean {
  return type.startsWith('text/') || type === 'application/json';
}

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new AppError('invalid-input', 'Idempotency-Key must be up to 128 visible characters');
}

function ensureDevice(options: MountOptions, request: FastifyRequest, reply: FastifyReply): string {
  const device = readOrCreateDevice(request.headers.cookie, options.secure(request));
  if (device.setCookie !== undefined) reply.header('set-cookie', device.setCookie);
  return options.fingerprint(device.value);
}

function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

/** @throws AppError */
async function readInput(
  route: Route,
  options: MountOptions,
  caller: Caller | undefined,
  request: FastifyRequest,
): Promise<Record<string, unknown>> {
  const { body } = request;
  if (!(body instanceof LongBody)) return parseInput(route, request, body);
  return options.runPaced(caller?.userId ?? 0, body.length, () => parseInput(route, request, body.parse()));
}

function parseInput(route: Route, request: FastifyRequest, body: unknown): Record<string, unknown> {
  if (route.body === undefined) rejectUnknownField(findUnknownField(noFields, body));
  const input: Record<string, unknown> = {};
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = route[part];
    if (schema === undefined) continue;
    const given = part === 'body' ? normalizeBody(route, body) : omitEmpty(request[part]);
    const isLong = part === 'body' && mayBeLonger(request, MANY_ISSUES_BYTES);
    const parsed = schema.safeParse(given, isLong ? firstIssueContext : issueContext);
    if (!parsed.success) throw invalidInput(parsed.error.issues, given);
    if (part === 'body') rejectUnknownField(findUnknownField(schema, omitReadOnlyFields(route, given)));
    input[part] = parsed.data;
  }
  return input;
}

/** A longer body can have some thousand violations. */
const MANY_ISSUES_BYTES = 8_192;
const noFields = z.object({});

function normalizeBody({ fromOtherGateways }: Route, body: unknown): unknown {
  const given = body ?? {};
  return fromOtherGateways === undefined ? given : fromOtherGateways(given);
}

/** Refuses unknown fields: one might be a limit that the client relies on. @throws AppError */
function rejectUnknownField(field: UnknownField | undefined): void {
  if (field === undefined) return;
  const path = field.path.join('.');
  const message = describeUnknownField(field);
  throw new AppError('invalid-input', `${path}: ${message}`, {
    fields: [{ path, rule: 'unrecognized_keys', message }],
  });
}

/** Drops empty values: `?status=` means no filter. */
function omitEmpty(values: unknown): unknown {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== ''));
}
