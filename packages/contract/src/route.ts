/**
 * The management API as data. A feature's contract is an object of routes; the server mounts them, the console
 * calls them, the OpenAPI document is generated from them, and the authorization tests walk them.
 */
import { z } from 'zod';
import type { Right } from './accounts/permissions.ts';

/**
 * Access that a route requires. There is no default: a route without `access` does not compile.
 * `anyone` needs no session; the others need a session or access token that has this right.
 */
export type Access = 'anyone' | Right;

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Express style, `/api/token/:id`. Both forms of a trailing slash are served. */
  path: string;
  access: Access;
  /** Only for a session whose user proved within the last minutes who they are. */
  stepUp?: true;
  /** A GET that changes something, as clients of the public API expect; only the console itself may cause it. */
  sameOrigin?: true;
  /**
   * A session in which root acts as another user looks only. True: this changes something, and is open to it
   * nevertheless. False: this reads what is private to the user, and is closed to it.
   */
  impersonated?: boolean;
  /** Largest body in bytes, where `bodyBytesOf` is too small; who may not send it is refused before it is read. */
  bodyMaxBytes?: number;
  /** Most values in a body, where `bodyValuesOf` is too few. */
  bodyMaxValues?: number;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /**
   * A field that it doesn't know is refused. A PUT may send back what it has read: fields that `view` marks as `readOnly`,
   * because only the server sets them, are left as they are.
   */
  body?: z.ZodType;
  /** Response of GET for the resource that a PUT changes; absent: the same as `answer`. */
  view?: z.ZodObject;
  /** Translates a body as clients of One API and New API send it, before it is parsed. */
  fromOtherGateways?: (body: unknown) => unknown;
  /** Schema of `data` in the envelope. Only the fields named here leave the server. */
  answer: z.ZodType;
  /** Server-sent events, each of which holds one `answer` without the envelope. Call it by `readEvents`. */
  events?: true;
  /** The handler returns JSON of `answer` as it is stored, instead of a value that has to be written again. */
  written?: true;
  /** The answer is a file, sent without the envelope; a handler may return it piece by piece. */
  file?: 'text/csv' | 'text/plain' | 'application/json' | 'application/pdf' | 'image/png';
}

export type Routes = Readonly<Record<string, Route>>;

const KIB = 1_024;
/** Also of routes outside of the contract. */
export const BODY_MAX_BYTES = 64 * KIB;
/** Anyone may send it. A sign-in with a passkey, the largest one, has some 8 KiB. */
const ANYONE_BODY_MAX_BYTES = 16 * KIB;
/** Maximum body for lists of thousands of names, and for texts. */
export const LARGE_BODY_BYTES = 1_024 * KIB;
/** A conversation of 2,000 questions has fewer. Checking them all takes some ten milliseconds. */
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

/** A part of which everything may be left out may be left out itself. */
type ClientPart<R extends Route, K extends PartName> = R[K] extends z.ZodType
  ? object extends ClientSide<R[K]>
    ? { [P in K]?: ClientSide<R[K]> | undefined }
    : { [P in K]: ClientSide<R[K]> }
  : { [P in K]?: never };

/** Values that a caller passes: decoded, with defaults left out at will. */
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

/** Values that a handler returns. */
export type HandlerResponse<R extends Route> = R extends { events: true }
  ? Promise<AsyncIterable<RouteResponse<R>>>
  : R extends { written: true }
    ? Promise<string>
    : R extends { file: string }
      ? Promise<RouteResponse<R>> | RouteResponse<R> | AsyncIterable<string>
      : Promise<RouteResponse<R>> | RouteResponse<R>;

/** A list's page as the wire has it. */
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
 * Query of a list: `page` from 1, `size` up to 100, `order` as a comma list of columns, `-` first for descending.
 * @param sortable the only columns that `order` may name
 */
export function listQuery<const C extends string, F extends z.ZodRawShape>(sortable: readonly C[], filters: F) {
  const names = sortable.join('|');
  return z.object({
    page: z.coerce.number().int().min(1).max(10_000_000).default(1),
    size: z.coerce.number().int().min(1).max(100).default(10),
    order: z
      .string()
      .regex(new RegExp(`^-?(${names})(,-?(${names}))*$`))
      .optional(),
    ...filters,
  });
}

/** Nothing but success. */
export const emptyData = z.null();
