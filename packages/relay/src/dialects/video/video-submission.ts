/**
 * Shared implementation for upstreams that take video tasks and speak no client's dialect: the client describes the
 * video, and the nearest one that the vendor offers is sent and priced.
 */

import { isObject, type JsonObject, objectOf, textOf, writtenOut } from '../../json/json.ts';
import type { UpstreamDialect } from '../../model/format.ts';
import type { UpstreamFormatId } from '../../model/format-id.ts';
import { InvalidRequest } from '../../model/invalid-request.ts';
import { taskIdOf } from '../../model/task-id.ts';
import { namesStatus, statusOf } from '../../model/task-status.ts';
import {
  type FilmOrder,
  percentOf,
  type TaskNews,
  type TaskStatus,
  type VideoAsked,
} from '../../model/task-types.ts';
import type { Usage } from '../../model/usage.ts';
import { filmUsage } from './video-usage.ts';

const LASTS_SECONDS = 86_400;
const SIDE_DEFAULT = 720;
/** Sides are made of whole blocks of so many pixels. */
const BLOCK = 16;

/** Videos that a model can make. */
export interface Films {
  /** Seconds, ascending. */
  lengths: readonly number[];
  /** Resolutions, or what else its films differ by, as the vendor writes them. */
  variants: readonly string[];
}

/** Video that the model makes for a request. */
interface VideoRequest extends VideoAsked {
  variant: string;
}

/** A video task as the vendor reports it, unparsed. */
export interface VendorVideo {
  /** The vendor's word for its state. */
  word?: unknown;
  /** The state, where other fields than a word say it. */
  status?: TaskStatus | undefined;
  progress?: unknown;
  /** Path to the video's URL. */
  at: readonly unknown[];
  failure: unknown;
  usage?: Partial<Usage> | undefined;
}

interface OrderedVideo {
  id: UpstreamFormatId;
  films: (model: string) => Films;
  /**
   * Returns the requested variant; if absent, the named resolution or the nearest one counts.
   * @throws InvalidRequest
   */
  choose?: (variants: readonly string[], asked: VideoAsked) => string;
  encode: (film: VideoRequest, model: string, dropped: string[]) => Record<string, unknown>;
  idIn: (answer: JsonObject) => unknown;
  /** Pattern of task IDs. */
  ids?: RegExp;
  /** Path for polling a task. */
  path: (id: string) => string;
  /** Reads the answer to a question about one, and the answer to its order, which says less. */
  read: (answer: JsonObject) => VendorVideo;
  /** Headers of a submission in addition to the account's. */
  headers?: Readonly<Record<string, string>>;
}

/** Asked about one by one, for a day. */
export function orderedVideo(own: OrderedVideo): UpstreamDialect {
  const { films, choose = resolutionAmong, encode, idIn, ids, headers } = own;
  return {
    id: own.id,
    operation: 'videos',
    readWhole: () => ({ usage: undefined, content: [], binaries: [] }),
    orders: {
      taken(said) {
        const id = taskIdOf(idIn(said), ids);
        return id === undefined ? undefined : orderedNews(id, own.read(said), said);
      },
      together: 1,
      question: ([id = '']) => ({ path: own.path(id) }),
      // The question was about one: not every vendor repeats which.
      read(answer, [id = '']) {
        const said = objectOf(answer);
        return [filmNews(id, own.read(said), said)];
      },
      lastsSeconds: LASTS_SECONDS,
    },
    makesVideo(asked, model, dropped) {
      const { lengths, variants } = films(model);
      const seconds = lengthAmong(lengths, asked.seconds);
      const film = { ...asked, seconds, variant: choose(variants, asked) };
      return filmOrder(film, encode(film, model, dropped));
    },
    ...(headers && {
      pack: (body: JsonObject) => ({ bytes: Buffer.from(JSON.stringify(body)), headers }),
    }),
  };
}

/** @param body that orders exactly this film */
export function filmOrder(
  { seconds, variant }: Pick<VideoRequest, 'seconds' | 'variant'>,
  body: Record<string, unknown>,
): FilmOrder {
  const side = sideOf(variant);
  const whole = (pixels: number) => Math.ceil(pixels / BLOCK) * BLOCK;
  return {
    body,
    usage: filmUsage(seconds, variant, { width: whole((side * 16) / 9), height: whole(side) }),
  };
}

/** Returns all lengths from one to another, in whole seconds. */
export function between(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
}

/** The next that is made. @param lengths seconds, ascending. @throws InvalidRequest when all are shorter */
export function lengthAmong(lengths: readonly number[], seconds: number): number {
  const next = lengths.find((length) => length >= seconds);
  if (next !== undefined) return next;
  throw new InvalidRequest(`This model supports videos of ${lengths.join(', ')} seconds.`, 'seconds');
}

/** The one that is named, else the nearest to the size. @throws InvalidRequest when there is none of that name */
function resolutionAmong(resolutions: readonly string[], { size, more }: VideoAsked): string {
  if (more['resolution'] !== undefined) return oneAmong(resolutions, more['resolution'], 'resolution');
  const side = size === undefined ? SIDE_DEFAULT : Math.min(size.width, size.height);
  const distance = (resolution: string) => Math.abs(Math.log(sideOf(resolution) / side));
  return resolutions.toSorted((a, b) => distance(a) - distance(b))[0] ?? '';
}

/**
 * Returns the value in the vendor's spelling, ignoring the case of the client's.
 * @throws InvalidRequest that lists the allowed values
 */
export function oneAmong(values: readonly string[], named: unknown, field: string): string {
  const found = values.find(
    (value) => typeof named === 'string' && value.toLowerCase() === named.toLowerCase(),
  );
  if (found !== undefined) return found;
  throw new InvalidRequest(`${field} must be one of ${values.join(', ')}.`, field);
}

/** Pixels of the shorter side of `720p`. */
function sideOf(resolution: string): number {
  const number = Number.parseInt(resolution, 10);
  if (resolution === '4k') return 2160;
  return Number.isNaN(number) ? SIDE_DEFAULT : number;
}

/** Reads a poll: the state of a film at its vendor. */
export function filmNews(id: string, film: VendorVideo, said: JsonObject): TaskNews {
  const { at, failure, usage } = film;
  const addresses = addressesIn(at);
  const status = film.status ?? statusOf(film) ?? (addresses.length > 0 ? 'succeeded' : 'running');
  const progress = percentOf(film.progress);
  return {
    id,
    status,
    ...(progress === undefined ? {} : { progress }),
    works: addresses.map((address) => ({ kind: 'video' as const, at: address })),
    ...(status === 'failed' ? { failure: textOf(failure) ?? 'The video generation failed.' } : {}),
    ...(usage === undefined ? {} : { usage }),
    said,
  };
}

/** Returns the addresses in a text, in an object that has one as `url`, or in a list of these. */
export function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  return [textOf(value) ?? textOf(objectOf(value)['url']) ?? []].flat();
}

/** Reads the response to the order of a film. */
export function orderedNews(id: string, film: VendorVideo, said: JsonObject): TaskNews {
  const hasAddress = addressesIn(film.at).length > 0;
  const status = film.status ?? statusOf(film) ?? (hasAddress ? undefined : 'queued');
  return filmNews(id, { ...film, status }, said);
}

/** Undefined where the vendor tells no length. @param more that its price may differ by */
export function secondsMade(
  seconds: number | undefined,
  more: Pick<Partial<Usage>, 'imageVariant'> = {},
): Partial<Usage> | undefined {
  if (seconds === undefined || !(seconds > 0)) return undefined;
  return { second: Math.ceil(seconds), ...more };
}

/** Returns the task that an answer is about. Some gateways wrap it in an envelope. */
export function unwrapped(answer: JsonObject): JsonObject {
  const [data] = [writtenOut(answer['data'])].flat();
  const isEnvelope =
    isObject(data) && taskIdOf(answer) === undefined && (namesStatus(data) || taskIdOf(data) !== undefined);
  return isEnvelope ? data : answer;
}

/** Returns an image's URL, or its content as a data URL. */
export function pictureUrl(image: NonNullable<VideoAsked['image']>): string {
  return 'url' in image ? image.url : `data:image/png;base64,${image.base64}`;
}
