/**
 * Management API as data. A feature's contract is an object of routes: the server mounts them, the console calls
 * them, the OpenAPI document is generated from them, and the authorization tests iterate over them.
 */
import { z } from 'zod';
import type { Right } from './accounts/permissions.ts';

/**
 * Access that a route requires. There is no default: a route without `access` does not compile. `anyone` needs no
 * session; others need a session or access token with this right.
 */
export type Access = 'anyone' | Right;

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Express style, `/api/token/:id`. Both forms of a trailing slash are served. */
  path: string;
  access: Access;
  /** Requires a session whose user has proved their identity within the last minutes. */
  stepUp?: true;
  /** Marks a GET that changes something, as clients of the public API expect; only the console itself may send it. */
  sameOrigin?: true;
  /**
   * Exception of impersonated sessions, which are read-only. True: allowed although it changes something. False:
   * refused although it only reads, because the data is private to the user.
   */
  impersonated?: boolean;
  /**
   * Maximum bytes of a body, where `getBodyMaxBytes` is too small; unauthorized callers are refused before it is
   * read.
   */
  bodyMaxBytes?: number;
  /** Maximum values in a body, where `getBodyMaxValues` is too few. */
  bodyMaxValues?: number;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /**
   * Body of the request; unknown fields are refused. A PUT may send back a response: fields that `view` marks as
   * `readOnly`, which only the server sets, are ignored.
   */
  body?: z.ZodType;
  /** Response of GET for the resource that a PUT changes; absent: the same as `answer`. */
  view?: z.ZodObject;
  /** Translates a body of One API's or New API's clients before it is parsed. */
  fromOtherGateways?: (body: unknown) => unknown;
  /** Schema of `data` in the envelope. Fields that it does not name are removed from responses. */
  answer: z.ZodType;
  /** Marks server-sent events, each of which holds one `answer` without the envelope; `readEvents` reads them. */
  events?: true;
  /** Marks a handler that returns stored JSON of `answer` instead of a value to serialize. */
  written?: true;
  /** Media type of a file, sent without the envelope; a handler may stream it. */
  file?: 'text/csv' | 'text/plain' | 'application/json' | 'application/pdf' | 'image/png';
  /**
   * Entry that each call of a GET leaves in the audit log, with the filters of the call. Required for a file that is
   * reserved for staff, because it takes data of all users out of the gateway; `never` for a file without such data
   * that must be available when nothing can be written.
   */
  auditAs?: AuditedAction | 'never';
}

export interface AuditedAction {
  action: string;
  target: string;
}

export type Routes = Readonly<Record<string, Route>>;

const KIB = 1_024;
/** Maximum body, also of routes outside the contract. */
export const BODY_MAX_BYTES = 64 * KIB;
/** Maximum body of anonymous requests. The largest, a sign-in with a passkey, has about 8 KiB. */
const ANYONE_BODY_MAX_BYTES = 16 * KIB;
/** Maximum body for lists of thousands of names, and for texts. */
export const LARGE_BODY_BYTES = 1_024 * KIB;
/**
 * Maximum values in a body. A conversation of 2,000 questions has fewer; checking this many takes about ten
 * milliseconds.
 */
export const BODY_MAX_VALUES = 50_000;
/** Maximum number of values for imports by the staff. */
export const IMPORT_BODY_MAX_VALUES = 500_000;

/** Returns how many bytes a body of the route may have. */
export function getBodyMaxBytes({ access, bodyMaxBytes }: Route): number {
  return bodyMaxBytes ?? (access === 'anyone' ? ANYONE_BODY_MAX_BYTES : BODY_MAX_BYTES);
}

/** Returns how many values a body of the route may hold, within lists and objects of any depth. */
export function getBodyMaxValues({ bodyMaxValues }: Route): number {
  return bodyMaxValues ?? BODY_MAX_VALUES;
}

export function routes<const R extends Routes>(definitions: R): R {
  return definitions;
}

type PartName = 'params' | 'query' | 'body';

type HandlerPart<R extends Route, K extends PartName> = R[K] extends z.ZodType
  ? { [P in K]: z.output<R[K]> }
  : { [P in K]?: never };

/** Part of a call, which is optional if all of its fields are. */
type ClientPart<R extends Route, K extends PartName> = R[K] extends z.ZodType
  ? object extends ClientSide<R[K]>
    ? { [P in K]?: ClientSide<R[K]> | undefined }
    : { [P in K]: ClientSide<R[K]> }
  : { [P in K]?: never };

/** Values that a caller passes: decoded, with optional defaults. */
type ClientSide<S extends z.ZodType> =
  S extends z.ZodObject<infer Shape>
    ? { [K in keyof Shape as Shape[K] extends MayBeLeftOut ? never : K]: z.output<Shape[K]> } & {
        [K in keyof Shape as Shape[K] extends MayBeLeftOut ? K : never]?: z.output<Shape[K]> | undefined;
      }
    : z.output<S>;

type MayBeLeftOut = z.ZodOptional | z.ZodDefault | z.ZodPrefault;

/** Values that a handler receives: parsed, defaults applied. */
export type RouteInput<R extends Route> = HandlerPart<R, 'params'> & HandlerPart<R, 'query'> & HandlerPart<R, 'body'>;

/** Values that a client passes. */
export type RouteCall<R extends Route> = ClientPart<R, 'params'> & ClientPart<R, 'query'> & ClientPart<R, 'body'>;

export type RouteResponse<R extends Route> = z.output<R['answer']>;

/** Value of a response. A route without data needs none. */
type HandlerValue<R extends Route> = RouteResponse<R> | ([RouteResponse<R>] extends [null] ? void : never);

/** Values that a handler returns. */
export type HandlerResponse<R extends Route> = R extends { events: true }
  ? Promise<AsyncIterable<RouteResponse<R>>>
  : R extends { written: true }
    ? Promise<string>
    : R extends { file: string }
      ? Promise<RouteResponse<R>> | RouteResponse<R> | AsyncIterable<string>
      : Promise<HandlerValue<R>> | HandlerValue<R>;

/** Page of a list in its wire form. */
export interface Page<T> {
  data: T[];
  page: number;
  size: number;
  total_count: number;
}

export function paged<S extends z.ZodType>(item: S) {
  return z.object({ data: z.array(item), page: z.int(), size: z.int(), total_count: z.int() });
}

/**
 * Returns the query schema of a list: `page` from 1, `size` up to 100, `order` as a comma list of columns, `-` first
 * for descending.
 * @param sortable columns that `order` may name
 */
export function listQuery<const C extends string, F extends z.ZodRawShape>(sortable: readonly C[], filters: F) {
  const names = sortable.join('|');
  return z.object({
    page: z.coerce.number().int().min(1).max(10_000_000).default(1),
    size: z.coerce.number().int().min(1).max(100).default(10),
    order: z
      .string()
      // Enough for each column once.
      .max(names.length + 2 * sortable.length)
      .regex(new RegExp(`^-?(${names})(,-?(${names}))*$`))
      .optional(),
    ...filters,
  });
}

/** Data of a response that only reports success. */
export const emptyData = z.null();
